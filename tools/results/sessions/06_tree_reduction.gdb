# 06_tree_reduction --n 32 --block 32 --variant halves --rounds 1
break halves_kernel if threadIdx.x == 5
run
next 4
print half
print values[5]
print values[21]
next
print values[5]
print values[13]
next 2
print half
print values[13]
print *values@16
