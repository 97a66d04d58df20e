# 07_arbitrary_n --n 700 --rounds 1
break finish_in_last_block if threadIdx.x == 0
run
next 4
print gridDim.x
print *d_done
next 3
print *d_done
print last
continue
continue
next 7
print *d_done
print last
print *d_partials@3
