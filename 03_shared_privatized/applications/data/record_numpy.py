#!/usr/bin/env python3
"""Makes points.csv, and records numpy's histograms of it in the format in which the program writes bins.

The columns are x and y, rounded so that many values are on an edge (some are outside); k, a class from 0
to 11; w, a weight with a fraction; m, an integer weight. The recorded files were made with numpy 1.24.
"""
import numpy

random = numpy.random.default_rng(3)
n = 1000
x = numpy.round(random.normal(0.5, 0.4, n), 2)
y = numpy.round(random.normal(0, 1, n) + 2 * x, 2)
k = random.integers(0, 12, n)
w = numpy.round(random.lognormal(0, 2, n), 3)
m = random.integers(-2**31, 2**31, n)


def shortest(value):
    """The shortest of the decimals with 15, 16 or 17 digits that is read back as the same number."""
    for digits in (15, 16, 17):
        text = "%.*g" % (digits, value)
        if float(text) == value:
            break
    return text


def write(name, heading, rows):
    with open(name, "w", newline="\n") as file:
        file.write(heading + "\n")
        for row in rows:
            file.write(",".join(row) + "\n")


write("points.csv", "x,y,k,w,m",
      ((shortest(a), shortest(b), str(c), shortest(d), str(e)) for a, b, c, d, e in zip(x, y, k, w, m)))

counts, x_edges, y_edges = numpy.histogram2d(x, y, bins=(16, 12), range=((0, 1.6), (-1.2, 3)))
x_text = [shortest(edge) for edge in x_edges]
y_text = [shortest(edge) for edge in y_edges]
write("numpy_histogram2d.csv", "x_low,x_high,y_low,y_high,count",
      ((x_text[a], x_text[a + 1], y_text[b], y_text[b + 1], str(int(counts[a, b])))
       for b in range(12) for a in range(16)))


def write_sums(name, edges, sums):
    text = [shortest(edge) for edge in edges]
    write(name, "low,high,sum", ((text[b], text[b + 1], shortest(sums[b])) for b in range(len(sums))))


# All numbers here, and their sums, are integers below 2^53, which doubles represent exactly.
write_sums("numpy_bincount.csv", numpy.arange(13.0), numpy.bincount(k, weights=m.astype(float)))
sums, edges = numpy.histogram(x, bins=16, range=(0, 1.6), weights=w)
write_sums("numpy_histogram.csv", edges, sums)
