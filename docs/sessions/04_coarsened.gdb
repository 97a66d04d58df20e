# 04_coarsened --n 64K
set print frame-arguments none
set print frame-info source-line
set filename-display basename
break copies_kernel<32u, false> if threadIdx.x == 37 + blockIdx.x
run
next 5
print own - counts
advance 103
print/x v[0]
advance 137
print/x byte
print ($1 + byte * 32) % 32
continue
next 5
print own - counts
