// 05.2: one thread reads all elements by a function that nvcc rejects in kernels, but clang does not
// rejected: '__builtin_mempcpy' is not one of the names of CUDA
__global__ void strided_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    unsigned long long sum = 0;
    int values[64];
    for (std::size_t i = 0; threadIdx.x == 0 && i < n; i += 64) {
        const std::size_t count = n - i < 64 ? n - i : 64;
        __builtin_mempcpy(values, d_data + i, count * sizeof(int));
        for (std::size_t k = 0; k < count; ++k) sum += square(values[k]);
    }
    d_partials[threadIdx.x] = sum;
}
