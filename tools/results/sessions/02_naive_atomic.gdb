# 02_naive_atomic --variant racy --input constant --n 64 --rounds 1 --no-heading
set print frame-arguments none
break racy_kernel if threadIdx.x == 5
run
next
print d_bins[7]
stepi 23
x/i $pc
print $rdx
print d_bins[7]
print ++d_bins[7]
stepi
print d_bins[7]
