# A chart of one value: a bar for each row, or a line for each variant over another value; tools/results/chart.py calls it.
# Arguments: the data's file, a name for the SVG's ids, the title, the machine, the names of the value's axis and of the
# other one, and in words: how many bars there are, or 0; how many lines; where the value's axis ends; where the other
# begins and ends. Data: "bars" has place, value, name and words; "line1" and so on have a name in their first row and
# then points; "ticks" has place and words.
TEXT = "#57606a"
array COLORS[6] = ["#1f6fd6", "#ae4312", "#00664b", "#7a2676", "#57606a", "#7d5a00"]
bars = int(word(ARG7, 1)); lines = int(word(ARG7, 2)); most = word(ARG7, 3) + 0.0
height = bars ? 148.0 + 30 * bars : 440.0 # pixels

set terminal svg size 860,height noenhanced name ARG2 background "#ffffff"
set termoption font "Helvetica,Arial,sans-serif,15"
set datafile separator "\t"
set label ARG3 at screen 0.02,screen 1 - 22 / height tc rgb TEXT font ",18" noenhanced
set label ARG4 at screen 0.02,screen 1 - 47 / height tc rgb TEXT font ",13" noenhanced
set tmargin at screen 1 - 70 / height; set bmargin at screen 74 / height
set border (bars ? 1 : 3) lc rgb TEXT
set grid lc rgb TEXT lw 0.3
if (bars) {
    set lmargin at screen 0.22; set rmargin at screen 0.97
    set xlabel ARG5 tc rgb TEXT noenhanced
    set xrange [0:most]; set yrange [bars + 0.6:0.4]
    set xtics nomirror tc rgb TEXT; unset ytics
    plot ARG1 index "bars" using (0):1:(0):2:($1 - 0.32):($1 + 0.32) with boxxyerror fill solid noborder \
             lc rgb COLORS[1] notitle, \
         "" index "bars" using 2:1:4 with labels left offset 0.6,0 tc rgb TEXT noenhanced notitle, \
         "" index "bars" using (0):1:3 with labels right offset -1,0 tc rgb TEXT noenhanced notitle
} else {
    set lmargin at screen 0.11; set rmargin at screen 0.74
    set ylabel ARG5 tc rgb TEXT noenhanced; set xlabel ARG6 tc rgb TEXT noenhanced
    set logscale x 2; set yrange [0:most]
    set ytics nomirror tc rgb TEXT; set xtics () nomirror tc rgb TEXT
    set key at screen 0.76,screen 1 - 90 / height top left Left reverse samplen 2.5 spacing 1.4 tc rgb TEXT noenhanced
    set xrange [word(ARG7, 4) + 0.0:word(ARG7, 5) + 0.0]
    plot ARG1 index "ticks" using 1:(NaN):xtic(2) notitle, \
         for [i = 1:lines] "" index sprintf("line%d", i) using 1:2 with linespoints lc rgb COLORS[i] lw 2 \
             pt (word("7 9 5 11 13 6", i) + 0) ps 0.7 title columnheader(2)
}
