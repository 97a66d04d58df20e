// Kernels that launch kernels.
#include <cooperative_groups.h>

#include <thread>

#include "check.h"

__global__ void leaf_kernel(int* sums, int depth, int summand) { atomicAdd(&sums[depth], summand); }

__global__ void node_kernel(int* sums, int depth) {
    if (threadIdx.x == 0) leaf_kernel<<<2, 3>>>(sums, depth, depth + 1);
    if (threadIdx.x == 0 && depth < 3) node_kernel<<<2, 32>>>(sums, depth + 1);
}

template <typename T>
__global__ void double_kernel(T* numbers, int n) {
    if (n > 1) double_kernel<<<1, 1>>>(numbers + 1, n - 1);
    *numbers *= 2;
}

__global__ void stream_kernel(int* sum) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    leaf_kernel<<<1, 1, 0, stream>>>(sum, 0, 1);
    cudaStreamDestroy(stream);  // takes effect only after the launch, as in CUDA
}

void check_destroyed_stream() {
    int* sum;
    RUNS(cudaMallocManaged(&sum, sizeof(int)));
    *sum = 0;
    stream_kernel<<<1, 2>>>(sum);
    RUNS(cudaDeviceSynchronize());
    CHECK(*sum == 2);
    RUNS(cudaFree(sum));
}

void check_sums() {
    int* sums;
    RUNS(cudaMallocManaged(&sums, 4 * sizeof(int)));
    for (int i = 0; i < 4; ++i) sums[i] = 0;
    node_kernel<<<1, 32>>>(sums, 0);
    RUNS(cudaDeviceSynchronize());
    for (int depth = 0; depth < 4; ++depth) CHECK(sums[depth] == (1 << depth) * 6 * (depth + 1));

    cudaStream_t stream;
    RUNS(cudaStreamCreate(&stream));
    double_kernel<<<1, 1, 0, stream>>>(sums, 4);
    RUNS(cudaStreamSynchronize(stream));
    for (int depth = 0; depth < 4; ++depth) CHECK(sums[depth] == (1 << depth) * 12 * (depth + 1));
    RUNS(cudaStreamDestroy(stream));
    RUNS(cudaFree(sums));
}

// --- Arguments that are not trivial -------------------------------------------------------------

struct Summand {
    __host__ __device__ explicit Summand(int number) : value(number) {}
    __host__ __device__ ~Summand() { value = 1000; }
    int value;
};

__global__ void summand_kernel(int* sum, Summand summand, int depth) {
    atomicAdd(sum, summand.value);
    if (depth > 0) summand_kernel<<<1, 2>>>(sum, Summand(10), depth - 1);
}

void check_arguments() {
    int *sum, result = 0;
    RUNS(cudaMalloc(&sum, sizeof(int)));
    RUNS(cudaMemset(sum, 0, sizeof(int)));
    summand_kernel<<<1, 1>>>(sum, Summand(1), 2);
    RUNS(cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(result == 1 + 2 * 10 + 4 * 10);
    RUNS(cudaFree(sum));
}

// --- Launches by a cooperative grid, and by host threads ----------------------------------------

__global__ void is_cooperative_kernel(int* cooperative) {
    *cooperative = cooperative_groups::this_grid().is_valid() ? 1 : 0;
}
__global__ void cooperative_kernel(int* cooperative) {
    cooperative_groups::this_grid().sync();
    if (cooperative_groups::this_grid().thread_rank() == 0) is_cooperative_kernel<<<10, 1>>>(cooperative);
}

void check_cooperative() {
    int *cooperative, result = 2;
    RUNS(cudaMalloc(&cooperative, sizeof(int)));
    void* arguments[] = {&cooperative};
    RUNS(cudaLaunchCooperativeKernel(cooperative_kernel, dim3(2), dim3(32), arguments));
    RUNS(cudaMemcpy(&result, cooperative, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(result == 0);
    RUNS(cudaFree(cooperative));
}

// Each thread launches a chain of 21 kernels; a GPU allows 24.
void check_host_threads() {
    const auto run_chains = [] {
        int* numbers;
        RUNS(cudaMallocManaged(&numbers, 21 * sizeof(int)));
        for (int i = 0; i < 21; ++i) numbers[i] = 1;
        for (int i = 0; i < 20; ++i) {
            double_kernel<<<1, 1>>>(numbers, 21);
            RUNS(cudaDeviceSynchronize());
            CHECK(numbers[20] == 2 << i);
        }
        RUNS(cudaFree(numbers));
    };
    std::thread other(run_chains);
    run_chains();
    other.join();
}

int main() {
    check_sums();
    check_destroyed_stream();
    check_arguments();
    check_cooperative();
    check_host_threads();
}
