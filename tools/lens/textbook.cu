/// @file
/// @brief Kernels that are slow for a known reason. The comment after a launch is the limiter that the lens
/// must name (try_words.py).
#include <cuda_runtime.h>
#include <cstdio>

constexpr unsigned int kBlock = 256, kTile = 32;
constexpr unsigned int kN = 1 << 20;  // elements

__global__ void copy_kernel(const int* d_in, int* d_out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_out[i] = d_in[i];
}

__global__ void copy_wide_kernel(const int4* d_in, int4* d_out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_out[i] = d_in[i];
}

/// Neighbouring lanes are `kStride` elements apart.
template <unsigned int kStride>
__global__ void strided_load_kernel(const int* d_in, int* d_out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_out[i] = d_in[i * kStride % (kN - 1)];
}

template <unsigned int kStride>
__global__ void strided_store_kernel(const int* d_in, int* d_out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_out[i * kStride % (kN - 1)] = d_in[i];
}

struct Particle {
    float x, y, z, mass, other[4];
};

/// Reads one member of each structure in an array.
__global__ void member_kernel(const Particle* d_particles, float* d_out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_out[i] = d_particles[i].x;
}

__global__ void transpose_kernel(const int* d_in, int* d_out, unsigned int width) {
    const unsigned int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
    d_out[x * width + y] = d_in[y * width + x];
}

/// Each thread adds up its own row of a matrix.
__global__ void row_sums_kernel(const int* d_in, int* d_out, unsigned int columns) {
    const unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (unsigned int k = 0; k < columns; ++k) sum += d_in[row * columns + k];
    d_out[row] = sum;
}

/// Reads columns of shared memory. A column is in one bank, unless rows are padded by one element.
template <unsigned int kWidth>
__global__ void column_kernel(const int* d_in, int* d_out, unsigned int rounds) {
    __shared__ int tile[kTile][kWidth];
    const unsigned int t = threadIdx.x % kTile;
    for (unsigned int row = threadIdx.x / kTile; row < kTile; row += blockDim.x / kTile)
        tile[row][t] = d_in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    int sum = 0;
    for (unsigned int k = 0; k < rounds; ++k) sum += tile[t][(k + threadIdx.x / kTile) % kTile];
    d_out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <unsigned int kStride>
__global__ void stride_in_shared_kernel(int* d_out, unsigned int rounds) {
    __shared__ int values[2048];
    for (unsigned int i = threadIdx.x; i < 2048; i += blockDim.x) values[i] = static_cast<int>(i);
    __syncthreads();
    int sum = 0;
    for (unsigned int k = 0; k < rounds; ++k) sum += values[(threadIdx.x * kStride + k) % 2048];
    d_out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// All additions go to counters in one bank.
__global__ void one_bank_kernel(const int* d_in, int* d_out, unsigned int rounds) {
    __shared__ unsigned int counts[1024];
    for (unsigned int i = threadIdx.x; i < 1024; i += blockDim.x) counts[i] = 0;
    __syncthreads();
    const int mine = d_in[blockIdx.x * blockDim.x + threadIdx.x];
    for (unsigned int k = 0; k < rounds; ++k) atomicAdd(&counts[(mine + threadIdx.x + k) % 32 * 32], 1u);
    __syncthreads();
    d_out[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(counts[threadIdx.x]);
}

__global__ void hot_counter_kernel(const int* d_in, unsigned int* d_counter) {
    atomicAdd(d_counter, static_cast<unsigned int>(d_in[blockIdx.x * blockDim.x + threadIdx.x]));
}

template <unsigned int kBins>
__global__ void few_bins_kernel(const int* d_in, unsigned int* d_bins) {
    atomicAdd(&d_bins[d_in[blockIdx.x * blockDim.x + threadIdx.x] % kBins], 1u);
}

__global__ void hot_maximum_kernel(const int* d_in, int* d_most) {
    atomicMax(d_most, d_in[blockIdx.x * blockDim.x + threadIdx.x]);
}

/// Each thread adds up elements that are as far apart as there are threads.
__global__ void sum_kernel(const int* d_in, int* d_out, unsigned int n) {
    int sum = 0;
    const unsigned int threads = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) sum += d_in[i];
    d_out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Follows indices: no load can start before the previous one has completed.
__global__ void chase_kernel(const int* d_next, int* d_out, unsigned int steps) {
    int at = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) % kN);
    for (unsigned int k = 0; k < steps; ++k) at = d_next[at] + static_cast<int>(threadIdx.x % 32);
    d_out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

/// Every eighth lane also processes its neighbours' elements; the other lanes are idle.
__global__ void one_lane_of_eight_kernel(int* d_out, unsigned int rounds) {
    __shared__ int values[kBlock];
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    int sum = 0;
    if (threadIdx.x % 8 == 0)
        for (unsigned int k = 0; k < rounds; ++k) sum += values[(threadIdx.x + k) % kBlock];
    if (threadIdx.x % 8 == 0) d_out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Lane k repeats its work k times.
__global__ void triangle_kernel(int* d_out, unsigned int rounds) {
    __shared__ int values[kBlock];
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    int sum = 0;
    const unsigned int lane = threadIdx.x % 32;
    for (unsigned int k = 0; k < rounds * (lane == 0 ? 32 : 1); ++k)
        sum += values[(threadIdx.x + k) % kBlock];
    d_out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Only multiplies and adds.
__global__ void polynomial_kernel(float* d_out, unsigned int rounds) {
    float value = static_cast<float>(threadIdx.x);
    for (unsigned int k = 0; k < rounds; ++k) value = value * 0.5f + 1.0f;
    d_out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/// Divides by a number that the compiler does not know.
__global__ void division_kernel(unsigned int* d_out, unsigned int rounds, unsigned int divisor) {
    unsigned int value = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int k = 0; k < rounds; ++k) value = value / divisor + k;
    d_out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/// Lane 0 computes 32 times as long as the others, and no lane accesses memory meanwhile.
__global__ void uneven_polynomial_kernel(float* d_out, unsigned int rounds) {
    float value = static_cast<float>(threadIdx.x);
    for (unsigned int k = 0; k < rounds * (threadIdx.x % 32 == 0 ? 32 : 1); ++k) value = value * 0.5f + 1.0f;
    d_out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/// nvcc's code has fewer accesses than the source: a register holds the element.
__global__ void repeated_update_kernel(float* d_out, unsigned int rounds) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int k = 0; k < rounds; ++k) d_out[i] = d_out[i] * 0.5f + 1.0f;
}

struct alignas(16) Vertex {
    float x, y, z, w;
};

/// Reads four members of a structure, for which nvcc needs only one load.
__global__ void members_kernel(const Vertex* d_vertices, float* d_out, unsigned int rounds) {
    float sum = 0.0f;
    for (unsigned int k = 0; k < rounds; ++k) {
        const Vertex& vertex = d_vertices[(threadIdx.x + k * 8) % 1024];
        sum += vertex.w + 2.0f * vertex.x;
        sum += 3.0f * vertex.z + 4.0f * vertex.y;
    }
    d_out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__constant__ float c_factors[256];

__global__ void constants_kernel(float* d_out) {
    const float x = static_cast<float>(threadIdx.x);
    float sums[8] = {};
#pragma unroll
    for (unsigned int k = 0; k < 256; ++k) {
#pragma unroll
        for (unsigned int j = 0; j < 8; ++j) sums[j] += x * c_factors[(k + j) % 256];
    }
    float sum = 0.0f;
    for (const float each : sums) sum += each;
    d_out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void tiny_kernel(int* d_out) { d_out[threadIdx.x] += 1; }

int main() {
    int *d_in = nullptr, *d_out = nullptr;
    Particle* d_particles = nullptr;
    cudaMalloc(&d_in, kN * sizeof(int));
    cudaMalloc(&d_out, kN * sizeof(int));
    cudaMalloc(&d_particles, kN / 4 * sizeof(Particle));
    cudaMemset(d_in, 0, kN * sizeof(int));
    cudaMemset(d_out, 0, kN * sizeof(int));
    cudaMemset(d_particles, 0, kN / 4 * sizeof(Particle));
    auto* const d_counts = reinterpret_cast<unsigned int*>(d_out);
    auto* const d_values = reinterpret_cast<float*>(d_out);
    constexpr unsigned int kGrid = kN / kBlock;
    const dim3 tiles(kN / 1024 / kTile, 1024 / kTile), tile(kTile, kTile);

    strided_load_kernel<8><<<kGrid, kBlock>>>(d_in, d_out);                              // uncoalesced
    strided_load_kernel<32><<<kGrid, kBlock>>>(d_in, d_out);                             // uncoalesced
    strided_load_kernel<1024><<<kGrid, kBlock>>>(d_in, d_out);                           // uncoalesced
    strided_store_kernel<8><<<kGrid, kBlock>>>(d_in, d_out);                             // uncoalesced
    strided_store_kernel<32><<<kGrid, kBlock>>>(d_in, d_out);                            // uncoalesced
    member_kernel<<<kGrid / 4, kBlock>>>(d_particles, reinterpret_cast<float*>(d_out));  // uncoalesced
    transpose_kernel<<<tiles, tile>>>(d_in, d_out, 1024);                                // uncoalesced
    row_sums_kernel<<<kGrid / 4, kBlock>>>(reinterpret_cast<const int*>(d_particles), d_out,
                                           8);                             // uncoalesced
    column_kernel<32><<<1056, kBlock>>>(d_in, d_out, 256);                 // bank conflicts
    stride_in_shared_kernel<4><<<1056, kBlock>>>(d_out, 256);              // bank conflicts
    stride_in_shared_kernel<8><<<1056, kBlock>>>(d_out, 256);              // bank conflicts
    stride_in_shared_kernel<32><<<1056, kBlock>>>(d_out, 256);             // bank conflicts
    one_bank_kernel<<<1056, kBlock>>>(d_in, d_out, 256);                   // bank conflicts
    hot_counter_kernel<<<kGrid, kBlock>>>(d_in, d_counts);                 // atomics
    few_bins_kernel<2><<<kGrid, kBlock>>>(d_in, d_counts);                 // atomics
    few_bins_kernel<8><<<kGrid, kBlock>>>(d_in, d_counts);                 // atomics
    few_bins_kernel<64><<<kGrid, kBlock>>>(d_in, d_counts);                // atomics
    hot_maximum_kernel<<<kGrid, kBlock>>>(d_in, d_out);                    // atomics
    sum_kernel<<<1, 32>>>(d_in, d_out, 1 << 16);                           // few blocks
    sum_kernel<<<1, 1024>>>(d_in, d_out, kN);                              // few blocks
    sum_kernel<<<8, 64>>>(d_in, d_out, kN);                                // few blocks
    sum_kernel<<<32, kBlock>>>(d_in, d_out, kN);                           // few blocks
    sum_kernel<<<132, kBlock>>>(d_in, d_out, kN);                          // latency
    chase_kernel<<<264, kBlock>>>(d_in, d_out, 64);                        // latency
    chase_kernel<<<132, kBlock>>>(d_in, d_out, 256);                       // latency
    one_lane_of_eight_kernel<<<1056, kBlock>>>(d_out, 256);                // divergence
    triangle_kernel<<<1056, kBlock>>>(d_out, 8);                           // divergence
    polynomial_kernel<<<1056, kBlock>>>(d_values, 1024);                   // arithmetic
    division_kernel<<<1056, kBlock>>>(d_counts, 50, 3);                    // arithmetic
    uneven_polynomial_kernel<<<1056, kBlock>>>(d_values, 10);              // divergence
    polynomial_kernel<<<8, kBlock>>>(d_values, 1024);                      // few blocks
    polynomial_kernel<<<132, 32>>>(d_values, 1024);                        // latency
    copy_kernel<<<4, kBlock>>>(d_in, d_out);                               // launch
    for (unsigned int k = 0; k < 100; ++k) tiny_kernel<<<1, 32>>>(d_out);  // launch
    for (unsigned int k = 0; k < 20; ++k)
        copy_wide_kernel<<<1, 64>>>(reinterpret_cast<int4*>(d_in), reinterpret_cast<int4*>(d_out));  // launch
    repeated_update_kernel<<<kGrid, kBlock>>>(d_values, 16);
    repeated_update_kernel<<<1, 32>>>(d_values, 4096);
    constants_kernel<<<1, 32>>>(d_values);
    members_kernel<<<528, kBlock>>>(reinterpret_cast<const Vertex*>(d_in), d_values, 128);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_particles);
}
