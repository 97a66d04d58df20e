# 03_shared_privatized --n 64K --variant article
set print frame-arguments none
break article_kernel if blockIdx.x == 1 && threadIdx.x == 5
run
next
print/x counts[5]
next
print counts[5]
print/x counts[6]
next
print counts[6]
advance 37
print counts[5]
next
print counts[5]
next
print d_bins[5]
