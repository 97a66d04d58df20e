/// @file
/// @brief The cost of simulation: a thread, a barrier, and a histogram compared with the plain loop.
///
///     build/simulator/bin/simulator_benchmark
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "../cuda/launch_shape.hpp"
#include "../cuda/timer.cuh"
#include "../problem/histogram.hpp"
#include "../problem/input.hpp"
#include "../problem/verify.hpp"

__global__ void thread_kernel(const unsigned char* d_data, std::size_t n, unsigned int* d_never) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n && d_data[i % 4096] == 255) *d_never = 1;
}

__global__ void barrier_kernel(int barriers) {
    for (int k = 0; k < barriers; ++k) __syncthreads();
}

__global__ void shuffle_kernel(int shuffles, unsigned int* d_sums) {
    unsigned int sum = threadIdx.x;
    for (int k = 0; k < shuffles; ++k) sum += __shfl_down_sync(0xffffffffu, sum, 1);
    d_sums[threadIdx.x] = sum;
}

__global__ void shared_histogram_kernel(const unsigned char* d_data, std::size_t n,
                                        unsigned long long* d_bins) {
    __shared__ unsigned int counts[kBins];
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[d_data[i]], 1u);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < kBins; b += blockDim.x)
        atomicAdd(&d_bins[b], static_cast<unsigned long long>(counts[b]));
}

/// The median of five timings of `work`, in seconds.
double median_seconds(const std::function<void()>& work) {
    double seconds[5];
    for (double& s : seconds) {
        WallTimer timer;
        timer.start();
        work();
        s = timer.stop();
    }
    std::sort(seconds, seconds + 5);
    return seconds[2];
}

int main() {
    const std::size_t n = std::size_t{100} << 20;
    const std::vector<unsigned char> data = big_random_block(n, 1);
    unsigned char* d_data = nullptr;
    unsigned long long* d_bins = nullptr;
    unsigned int* d_sums = nullptr;
    CUDA_CHECK(cudaMalloc(&d_data, n));
    CUDA_CHECK(cudaMalloc(&d_bins, kBins * sizeof(*d_bins)));
    CUDA_CHECK(cudaMalloc(&d_sums, 256 * sizeof(*d_sums)));
    CUDA_CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
    const unsigned int workers = static_cast<unsigned int>(sim::workers());
    constexpr int kRepeats = 4000;

    std::printf("%u core%s; medians of five runs\n", workers, workers == 1 ? "" : "s");
    const double threads =
        median_seconds([&] { thread_kernel<<<blocks_for(n, 256), 256>>>(d_data, n, d_sums); });
    std::printf("a thread without barriers      %7.2f ns (one core's time)\n", threads * workers / n * 1e9);
    const double barriers = median_seconds([&] { barrier_kernel<<<workers, 256>>>(kRepeats); });
    std::printf("a barrier, per thread          %7.2f ns (256 threads per block)\n",
                barriers / kRepeats / 256 * 1e9);
    const double shuffles = median_seconds([&] { shuffle_kernel<<<workers, 256>>>(kRepeats, d_sums); });
    std::printf("a shuffle, per thread          %7.2f ns\n", shuffles / kRepeats / 256 * 1e9);

    const double loop = median_seconds([&] { reference_histogram(data.data(), n); });
    const double shared = median_seconds([&] {
        CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
        shared_histogram_kernel<<<2 * workers, 256>>>(d_data, n, d_bins);
    });
    std::printf("histogram of 100 MiB: the plain loop %.3f s, simulated in shared memory %.3f s: %.1f x\n",
                loop, shared, shared / loop);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaFree(d_data));
    CUDA_CHECK(cudaFree(d_bins));
    CUDA_CHECK(cudaFree(d_sums));
}
