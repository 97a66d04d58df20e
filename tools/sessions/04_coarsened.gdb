# 04_coarsened --n 64K --grid 2 --variant "32 copies"
set print frame-arguments none
set print frame-info source-line
set filename-display basename
break count_in_copies<32u> if threadIdx.x == 37 + blockIdx.x
run
advance 149
print own - counts
advance 103
print/x first
advance 149
print/x byte
print ($1 + byte * 32) % 32
continue
advance 149
print own - counts
