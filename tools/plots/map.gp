# A joint histogram as a map; tools/picture calls it.
# Arguments: svg or png, the data's file, what x, y and the colours are called, the largest count, and where x
# and y begin and end.
if (ARG1 eq "png") { set terminal pngcairo size 800,640 noenhanced font "sans-serif,12" background rgb "white" }
if (ARG1 eq "svg") { set terminal svg size 800,640 noenhanced font "sans-serif,12" background rgb "white" }
set datafile separator "\t"
set xlabel ARG3 noenhanced; set ylabel ARG4 noenhanced; set cblabel ARG5 noenhanced
set xrange [real(word(ARG7, 1)):real(word(ARG7, 2))]; set yrange [real(word(ARG7, 3)):real(word(ARG7, 4))]
set cbrange [0:real(ARG6)]
set tics out nomirror; set rmargin at screen 0.77; set cblabel offset 1.5,0
# From white over blue to black: a grey copy of it still has the order.
set palette defined (0 "#ffffff", 1 "#c6dbef", 2 "#6baed6", 3 "#2171b5", 4 "#08306b", 5 "#000000")
if (ARG1 eq "png") { plot ARG2 using 1:2:3 with image notitle }
if (ARG1 eq "svg") { plot ARG2 using 1:2:3 with image pixels notitle } # its images would be blurred
