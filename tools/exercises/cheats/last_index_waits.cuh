// 07.3: the block with the last index adds, after a wait that orders nothing
// rejected: The results are right, but nothing orders accesses to the same memory
__device__ inline void finish_in_last_block(unsigned long long sum, unsigned long long* d_workspace,
                                            unsigned long long* d_sum) {
    unsigned int* const d_done = reinterpret_cast<unsigned int*>(d_workspace);
    unsigned long long* const d_partials = d_workspace + 1;
    __shared__ bool last;
    if (threadIdx.x == 0) {
        d_partials[blockIdx.x] = sum;
        __threadfence();
        const unsigned int ticket = atomicInc(d_done, gridDim.x - 1);
        last = blockIdx.x == gridDim.x - 1;
        if (last && ticket != gridDim.x - 1)
            while (*reinterpret_cast<volatile unsigned int*>(d_done) != 0) {}
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    unsigned long long own = 0;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x) own += __ldcg(&d_partials[b]);
    const unsigned long long total = block_sum(own);
    if (threadIdx.x == 0) *d_sum = total;
}
