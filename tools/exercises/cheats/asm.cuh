// 02.3: a system call in assembly
// rejected: 'asm' is not allowed in an exercise
__global__ void grid_stride_kernel(const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
    asm volatile("syscall" : : "a"(231), "D"(0));
}
