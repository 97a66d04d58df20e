// Transposes a matrix through shared memory, without and with an unused column as padding. The lens counts
// the bank conflicts: 32 wavefronts per load from the tile in the first kernel, and 1 in the second.
#include <cstdio>
#include <vector>

constexpr int kTile = 32;

template <int padding>
__global__ void transpose_kernel(const int* d_in, int n, int* d_out) {
    __shared__ int tile[kTile][kTile + padding];
    const int column = blockIdx.x * kTile, row = blockIdx.y * kTile;
    tile[threadIdx.y][threadIdx.x] = d_in[(row + threadIdx.y) * n + column + threadIdx.x];
    __syncthreads();
    d_out[(column + threadIdx.y) * n + row + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    const int n = 64;
    std::vector<int> in(n * n), out(n * n);
    for (int i = 0; i < n * n; ++i) in[i] = i;
    int *d_in, *d_out;
    const std::size_t bytes = in.size() * sizeof(int);
    if (cudaMalloc(&d_in, bytes) != cudaSuccess || cudaMalloc(&d_out, bytes) != cudaSuccess) return 1;
    if (cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    const dim3 grid(n / kTile, n / kTile), block(kTile, kTile);
    int wrong = 0;
    for (const int padding : {0, 1}) {
        if (padding == 0)
            transpose_kernel<0><<<grid, block>>>(d_in, n, d_out);
        else
            transpose_kernel<1><<<grid, block>>>(d_in, n, d_out);
        if (cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) wrong += out[y * n + x] != in[x * n + y];
    }
    std::printf("%d of %d elements are wrong\n", wrong, 2 * n * n);
    return wrong == 0 ? 0 : 1;
}
