#!/usr/bin/env python3
"""Makes the images of this folder and records what OpenCV computes from them.

    python3 record.py [PHOTO]

With PHOTO, a colour photograph, the images are made again; without it, only recorded.csv is written.
Needs OpenCV's Python module (Debian: python3-opencv).

recorded.csv has a line for each value of each channel: how often calcHist finds it, and what
equalizeHist replaces it with (nothing if it does not occur, or if the channel is alpha).
"""
import csv
import pathlib
import sys

import cv2
import numpy as np

folder = pathlib.Path(__file__).parent


def make_images(photo):
    photo = cv2.imread(photo)
    cv2.imwrite(str(folder / "cat.jpg"), photo, [cv2.IMWRITE_JPEG_QUALITY, 85])
    small = cv2.resize(photo, (150, 100), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(folder / "cat-grey.png"), cv2.cvtColor(small, cv2.COLOR_BGR2GRAY))
    alpha = np.tile(np.linspace(0, 255, 150).astype(np.uint8), (100, 1))
    cv2.imwrite(str(folder / "cat-alpha.png"), np.dstack([small, alpha]))


def channels(image):
    """Pairs of a name and a plane; OpenCV's order is blue, green, red."""
    if image.ndim == 2:
        return [("grey", image)]
    return [(name, image[:, :, plane]) for name, plane in
            [("red", 2), ("green", 1), ("blue", 0), ("alpha", 3)][:image.shape[2]]]


def record():
    with open(folder / "recorded.csv", "w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["image", "channel", "value", "count", "equalized"])
        for path in sorted([*folder.glob("*.png"), *folder.glob("*.jpg")]):
            for name, plane in channels(cv2.imread(str(path), cv2.IMREAD_UNCHANGED)):
                plane = np.ascontiguousarray(plane)
                counts = cv2.calcHist([plane], [0], None, [256], [0, 256]).ravel()
                equalized = cv2.equalizeHist(plane)
                for value in range(256):
                    becomes = equalized[plane == value] if name != "alpha" else []
                    lines.writerow([path.name, name, value, int(counts[value]),
                                    becomes[0] if len(becomes) else ""])


if len(sys.argv) > 1:
    make_images(sys.argv[1])
record()
