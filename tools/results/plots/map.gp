# A joint histogram as a map; tools/results/picture calls it.
# Arguments: svg or png, the data's file, what x, y and the colours are called, and the largest count.
# The terminal is png, since pngcairo would leave light seams between the boxes.
if (ARG1 eq "png") { set terminal png truecolor size 800,640 noenhanced font "sans-serif,12" background rgb "white" }
if (ARG1 eq "svg") { set terminal svg size 800,640 noenhanced font "sans-serif,12" background rgb "white" }
set datafile separator "\t"
set xlabel ARG3 noenhanced; set ylabel ARG4 noenhanced; set cblabel ARG5 noenhanced
set autoscale fix; set cbrange [0:real(ARG6)]
set tics out nomirror; set rmargin at screen 0.77; set cblabel offset 1.5,0
# From white over blue to black: a grey copy of it still has the order.
set palette defined (0 "#ffffff", 1 "#c6dbef", 2 "#6baed6", 3 "#2171b5", 4 "#08306b", 5 "#000000")
plot ARG2 using 1:3:1:2:3:4:5 with boxxyerror linecolor palette fillstyle solid noborder notitle
