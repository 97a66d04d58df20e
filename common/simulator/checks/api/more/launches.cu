// Launches by macros, functions and graphs, occupancy, streams, properties.
#include "check.h"

__global__ void add_kernel(int* number, int summand, char) { atomicAdd(number, summand); }
void CUDART_CB on_host(void* data) { ++*static_cast<int*>(data); }

#define ARGUMENTS(grid, block, stream) <<<(grid), (block), 0, stream>>>
#define ONCE <<<1, 1>>>

template <typename T>
__global__ void set_kernel(T* number, T value) {
    *number = value;
}

void check_macros() {
    float* number;
    RUNS(cudaMallocManaged(&number, sizeof(float)));
    set_kernel<float> ARGUMENTS(dim3(2, 2), 1, nullptr)(number, 3);
    RUNS(cudaDeviceSynchronize());
    CHECK(*number == 3);
    set_kernel ONCE(number, 4.0f);
    RUNS(cudaDeviceSynchronize());
    CHECK(*number == 4);
    RUNS(cudaFree(number));
}

int main() {
    check_macros();
    int *d_number, number = 0, calls = 0, summand = 3, blocks = 0, threads = 0, value = 0;
    char unused = 'x';
    RUNS(cudaMalloc(&d_number, sizeof(int)));
    RUNS(cudaMemset(d_number, 0, sizeof(int)));

    cudaStream_t stream;
    cudaEvent_t event;
    RUNS(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -9));
    RUNS(cudaStreamGetPriority(stream, &value));
    CHECK(value == -5);
    RUNS(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    void* arguments[] = {&d_number, &summand, &unused};
    RUNS(cudaLaunchKernel((const void*)add_kernel, dim3(1), dim3(4), arguments, 0, stream));
    RUNS(cudaLaunchKernel(reinterpret_cast<void*>(&add_kernel), dim3(1), dim3(4), arguments, 0, stream));
    RUNS(cudaEventRecord(event, stream));
    RUNS(cudaStreamWaitEvent(stream, event, 0));
    RUNS(cudaLaunchHostFunc(stream, on_host, &calls));
    RUNS(cudaStreamSynchronize(stream));
    RUNS(cudaEventQuery(event));
    RUNS(cudaStreamQuery(stream));
    RUNS(cudaMemcpy(&number, d_number, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(number == 24 && calls == 1);

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t kernel_node, host_node;
    cudaKernelNodeParams kernel = {};
    kernel.func = (void*)add_kernel;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(2);
    kernel.kernelParams = arguments;
    cudaHostNodeParams host = {on_host, &calls};
    RUNS(cudaGraphCreate(&graph, 0));
    RUNS(cudaGraphAddKernelNode(&kernel_node, graph, nullptr, 0, &kernel));
    RUNS(cudaGraphAddHostNode(&host_node, graph, &kernel_node, 1, &host));
    summand = 1000;  // the graph has copied the arguments
    RUNS(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i) RUNS(cudaGraphLaunch(exec, stream));
    RUNS(cudaStreamSynchronize(stream));
    RUNS(cudaMemcpy(&number, d_number, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(number == 24 + 3 * 2 * 3 && calls == 4);
    RUNS(cudaGraphExecDestroy(exec));
    RUNS(cudaGraphDestroy(graph));

    RUNS(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, add_kernel, 0, 0));
    CHECK(blocks >= 1 && threads >= 32 && threads <= 1024);
    cudaDeviceProp properties;
    RUNS(cudaGetDeviceProperties(&properties, 0));
    RUNS(cudaDeviceGetAttribute(&value, cudaDevAttrMaxBlockDimZ, 0));
    CHECK(value == properties.maxThreadsDim[2]);
    RUNS(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryPoolsSupported, 0));
    CHECK(value == 1 && properties.streamPrioritiesSupported == 1);
    add_kernel<<<1, 2048>>>(d_number, 1, 'x');
    CHECK(cudaGetLastError() != cudaSuccess);
    RUNS(cudaEventDestroy(event));
    RUNS(cudaStreamDestroy(stream));
    RUNS(cudaFree(d_number));
}
