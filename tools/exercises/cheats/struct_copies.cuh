// 05.2: one thread, by copies of large structs
// rejected: memory accesses by the busiest thread
struct Many {
    int v[1024];
};
__global__ void strided_kernel(const int* d_data, std::size_t n, unsigned long long* d_partials) {
    unsigned long long sum = 0;
    if (threadIdx.x == 0) {
        std::size_t i = 0;
        for (; i + 1024 <= n; i += 1024) {
            const Many many = *reinterpret_cast<const Many*>(d_data + i);
            for (int k = 0; k < 1024; ++k) sum += square(many.v[k]);
        }
        for (; i < n; ++i) sum += square(d_data[i]);
    }
    d_partials[threadIdx.x] = sum;
}
