# 04_coarsened --n 32K --grid 2 --variant "32 copies"
set print address off
set print frame-arguments none
set print frame-info source-line
set filename-display basename
break count_16<32u> if threadIdx.x == 37 + blockIdx.x
run
print/x v
up
print own - counts
print ($2 + ($1.x & 0xff) * 32) % 32
continue
up
print own - counts
