/// @file
/// @brief A program as a student might write it. A comment after a launch says what the lens must report
/// about the kernel; `tools/lens/try_program.py` compares.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

constexpr int kThreads = 64, kBlocks = 4, kNumbers = kThreads * kBlocks;

/// Products of tiles in a loop, as in a matrix multiplication: one barrier after loading, one after use.
template <bool kAfterUse>
__global__ void tiles_kernel(const int* d_data, int* d_sums) {
    __shared__ int tile[kThreads];
    int sum = 0;
    for (int first = 0; first < kNumbers; first += kThreads) {
        tile[threadIdx.x] = d_data[first + threadIdx.x];
        __syncthreads();
        for (const int value : tile) sum += value;
        if (kAfterUse) __syncthreads();
    }
    d_sums[threadIdx.x] = sum;
}

/// A scan. In place, a barrier per step is not enough.
template <bool kTwoBuffers>
__global__ void scan_kernel(const int* d_data, int* d_sums) {
    __shared__ int sums[2][kThreads];
    const int i = static_cast<int>(threadIdx.x);
    int from = 0;
    sums[from][i] = d_data[i];
    __syncthreads();
    for (int delta = 1; delta < kThreads; delta *= 2) {
        const int to = kTwoBuffers ? 1 - from : from;
        sums[to][i] = i < delta ? sums[from][i] : sums[from][i] + sums[from][i - delta];
        from = to;
        __syncthreads();
    }
    d_sums[i] = sums[from][i];
}

/// A reduction's memory must not be used again before its result is read.
template <bool kBeforeReuse>
__global__ void reuse_kernel(const int* d_data, int* d_results) {
    __shared__ int values[kThreads];
    int result = 0;
    for (int round = 0; round < 2; ++round) {
        values[threadIdx.x] = d_data[threadIdx.x] + result;
        __syncthreads();
        result = values[0];
        if (kBeforeReuse) __syncthreads();
    }
    d_results[threadIdx.x] = result;
}

/// `kFence` 0: no fence; 1: a fence for the block's threads; 2: for all threads.
template <int kFence>
__device__ void fence() {
    if (kFence == 1) __threadfence_block();
    if (kFence == 2) __threadfence();
}

/// One thread per warp adds to a number in shared memory under a lock.
template <int kFence>
__global__ void warps_lock_kernel(int* d_results) {
    __shared__ int lock, value;
    if (threadIdx.x == 0) lock = value = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        fence<kFence>();
        value += 1;
        fence<kFence>();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0) d_results[blockIdx.x] = value;
}

/// One thread per block adds to a number in global memory under a lock.
template <int kFence>
__global__ void blocks_lock_kernel(int* d_lock, int* d_value) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(d_lock, 0, 1) != 0) {}
    fence<kFence>();
    *d_value += 1;
    fence<kFence>();
    atomicExch(d_lock, 0);
}

/// Adds with operations that are atomic only among the threads of a block.
template <bool kPerBlock>
__global__ void block_scope_kernel(int* d_counts) {
    atomicAdd_block(&d_counts[kPerBlock ? blockIdx.x : 0], 1);
}

/// Lanes read what their neighbours have stored. A shuffle makes the lanes wait, but does not order memory.
template <bool kSync>
__global__ void shuffle_kernel(const int* d_data, int* d_results) {
    __shared__ int values[32];
    values[threadIdx.x] = d_data[threadIdx.x];
    const int other = __shfl_down_sync(~0u, static_cast<int>(threadIdx.x), 1);
    if (kSync) __syncwarp();
    d_results[threadIdx.x] = values[(threadIdx.x + 1) % 32] + other;
}

/// A tile's barrier orders only threads of the tile. The thread whose value is read may be in the next tile.
template <int kReach>
__global__ void tile_sync_kernel(const int* d_data, int* d_results) {
    __shared__ int values[32];
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    values[threadIdx.x] = d_data[threadIdx.x];
    tile.sync();
    d_results[threadIdx.x] = values[threadIdx.x / kReach * kReach + (threadIdx.x + 1) % kReach];
}

/// In each round, each block stores numbers, and reads what another block has stored.
template <bool kAfterRead>
__global__ void grid_sync_kernel(int* d_data, int* d_results) {
    const auto grid = cg::this_grid();
    const int i = static_cast<int>(grid.thread_rank());
    for (int round = 0; round < 2; ++round) {
        d_data[i] = i + round;
        grid.sync();
        d_results[i] = d_data[kNumbers - 1 - i];
        if (kAfterRead) grid.sync();
    }
}

/// Each block reads what another block has stored, after a barrier made of an atomic.
template <bool kFence>
__global__ void own_barrier_kernel(int* d_arrived, int* d_data, int* d_results) {
    const unsigned int i = blockIdx.x * kThreads + threadIdx.x;
    d_data[i] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (kFence) __threadfence();
        atomicAdd(d_arrived, 1);
        while (atomicAdd(d_arrived, 0) < kBlocks) {}
        __threadfence();
    }
    __syncthreads();
    d_results[i] = d_data[kNumbers - 1 - i];
}

template <typename T>
__global__ void fault_kernel(T* d_data) {
    d_data[threadIdx.x] = 1;
}

void require(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::printf("%s\n", cudaGetErrorString(error));
    std::exit(1);
}

template <typename... Parameters>
void launch_together(void (*kernel)(Parameters...), Parameters... arguments) {
    void* addresses[] = {&arguments...};
    require(cudaLaunchCooperativeKernel(kernel, kBlocks, kThreads, addresses));
}

int main() {
    int *a, *b, *c;
    for (int** d_numbers : {&a, &b, &c}) {
        require(cudaMalloc(d_numbers, kNumbers * sizeof(int)));
        require(cudaMemset(*d_numbers, 0, kNumbers * sizeof(int)));
    }
    tiles_kernel<true><<<1, kThreads>>>(a, b);
    tiles_kernel<false><<<1, kThreads>>>(a, b);  // race of warps
    scan_kernel<true><<<1, kThreads>>>(a, b);
    scan_kernel<false><<<1, kThreads>>>(a, b);  // race of warps
    reuse_kernel<true><<<1, kThreads>>>(a, b);
    reuse_kernel<false><<<1, kThreads>>>(a, b);  // race of warps
    warps_lock_kernel<2><<<1, kThreads>>>(b);
    warps_lock_kernel<1><<<1, kThreads>>>(b);
    warps_lock_kernel<0><<<1, kThreads>>>(b);  // race of warps
    blocks_lock_kernel<2><<<kBlocks, kThreads>>>(c, b);
    blocks_lock_kernel<1><<<kBlocks, kThreads>>>(c, b);  // race of blocks
    blocks_lock_kernel<0><<<kBlocks, kThreads>>>(c, b);  // race of blocks
    block_scope_kernel<true><<<kBlocks, kThreads>>>(b);
    block_scope_kernel<false><<<kBlocks, kThreads>>>(b);  // race of blocks
    shuffle_kernel<true><<<1, 32>>>(a, b);
    shuffle_kernel<false><<<1, 32>>>(a, b);  // race of lanes
    tile_sync_kernel<8><<<1, 32>>>(a, b);
    tile_sync_kernel<16><<<1, 32>>>(a, b);  // race of lanes
    launch_together(grid_sync_kernel<true>, a, b);
    launch_together(grid_sync_kernel<false>, a, b);  // race of blocks
    require(cudaMemset(c, 0, sizeof(int)));
    launch_together(own_barrier_kernel<true>, c, a, b);
    require(cudaMemset(c, 0, sizeof(int)));
    launch_together(own_barrier_kernel<false>, c, a, b);  // race of blocks
    require(cudaDeviceSynchronize());
    int* const d_none = nullptr;
    fault_kernel<int><<<1, kThreads>>>(d_none);  // a fault
    cudaDeviceSynchronize();                     // the program does not check for errors
}
