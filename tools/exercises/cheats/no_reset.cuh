// 07.3: the counter is never set to 0 for the next launch
// rejected: Wrong for n
__device__ inline void finish_in_last_block(unsigned long long sum, unsigned long long* d_workspace,
                                            unsigned long long* d_sum) {
    unsigned int* const d_done = reinterpret_cast<unsigned int*>(d_workspace);
    unsigned long long* const d_partials = d_workspace + 1;
    __shared__ bool last;
    if (threadIdx.x == 0) {
        d_partials[blockIdx.x] = sum;
        __threadfence();
        last = (atomicAdd(d_done, 1u) + 1) % gridDim.x == 0;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    unsigned long long own = 0;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x) own += __ldcg(&d_partials[b]);
    const unsigned long long total = block_sum(own);
    if (threadIdx.x == 0) *d_sum = total;
}
