# Histograms as curves, one over the other; tools/results/picture calls it.
# Arguments: svg or png, the data's file, what x and y are called, where x begins and ends, the curves' names, which
# are their data's too, their colours, and where y ends.
if (ARG1 eq "png") { set terminal pngcairo size 800,400 noenhanced font "sans-serif,12" background rgb "white" }
if (ARG1 eq "svg") { set terminal svg size 800,400 noenhanced font "sans-serif,12" background rgb "white" }
set datafile separator "\t"
set xlabel ARG3 noenhanced; set ylabel ARG4 noenhanced
set xrange [real(word(ARG5, 1)):real(word(ARG5, 2))]; set yrange [0:real(ARG8)]
set tics out nomirror; set border 3; set grid lc rgb "#e0e0e0"
if (words(ARG6) > 1) { set key outside right top noenhanced } else { unset key }
plot for [i=1:words(ARG6)] ARG2 index word(ARG6, i) using 1:2 with histeps lw 1.5 lc rgb word(ARG7, i) title word(ARG6, i)
