# What each variant reads in a second; tools/results/picture.py calls it, and adds the colours for dark pages.
# Arguments: the data's file, a name for the SVG's ids, the title, the machine, and in words: how many variants there
# are; 1 or 0 for whether there are read ceilings and times of CUB; the powers of ten where the axis begins and ends.
TEXT = "#57606a"; VARIANT = "#1f6fd6"; CEILING = "#ae4312"; CUB = "#00664b"
variants = int(word(ARG5, 1)); ceilings = int(word(ARG5, 2)); cubs = int(word(ARG5, 3))
low = 10.0**int(word(ARG5, 4)); high = 10.0**int(word(ARG5, 5))
height = 190.0 + 22 * variants # pixels

set terminal svg size 860,height noenhanced name ARG2 background "#ffffff"
set termoption font "Helvetica,Arial,sans-serif,14"
set datafile separator "\t"
set label ARG3 at screen 0.02,screen 1 - 22 / height tc rgb TEXT font ",17" noenhanced
set label ARG4 at screen 0.02,screen 1 - 50 / height tc rgb TEXT noenhanced
set tmargin at screen 1 - 82 / height; set bmargin at screen 108 / height
set lmargin at screen 0.29; set rmargin at screen 0.91
set border 1 lc rgb TEXT
set key at screen 0.5,screen 12 / height center bottom horizontal width -7 samplen 3 tc rgb TEXT noenhanced
set logscale x
set format x "%g"
set xlabel "GB/s of input, logarithmic" tc rgb TEXT
set xrange [low:high]; set yrange [variants + 0.5:0.5]
set xtics nomirror tc rgb TEXT; unset ytics
set grid xtics lc rgb TEXT lw 0.3
plot ARG1 index "borders" using (low):2:(high - low):(0) with vectors nohead lc rgb TEXT lw 0.6 notitle, \
     "" index "variants" using 2:1:3:4 with xerrorbars lc rgb VARIANT pt 7 ps 0.9 lw 1.5 title "median, p10 to p90", \
     "" index "variants" using (low * (1 + 1e-9)):1:5 with labels right offset -1,0 tc rgb TEXT noenhanced notitle, \
     "" index "variants" using (high):1:6 with labels left offset 1,0 tc rgb VARIANT noenhanced notitle, \
     "" index "ceilings" using 1:2:(0):3 with vectors nohead lc rgb CEILING lw 2.5 \
         title (ceilings ? "read ceiling" : ""), \
     "" index "cubs" using 1:2:(0):3 with vectors nohead lc rgb CUB dt (6,4) lw 2.5 title (cubs ? "CUB" : "")
