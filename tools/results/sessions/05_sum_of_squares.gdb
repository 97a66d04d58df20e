# 05_sum_of_squares --n 32K --no-heading
set print frame-arguments none
break square if blockDim.x == 512 && threadIdx.x == 1
run
up
print i
continue
up
print i
ignore 1 62
continue
up
print i
continue
up
print i
