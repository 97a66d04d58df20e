// Launches by functions and graphs, occupancy, streams, properties.
#include "check.h"

__global__ void add_kernel(int* number, int summand, char) { atomicAdd(number, summand); }
void CUDART_CB on_host(void* data) { ++*static_cast<int*>(data); }

void CUDART_CB plus_one(void* data) { *static_cast<int*>(data) += 1; }
void CUDART_CB times_ten(void* data) { *static_cast<int*>(data) *= 10; }

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

// Two streams, one of which waits for the other, are captured; the work is done at each launch of the graph.
void check_capture() {
    int *numbers, *host, calls = 0;
    cudaStream_t streams[2];
    cudaEvent_t begun, copied;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t nodes = 0;
    RUNS(cudaMalloc(&numbers, 2 * sizeof(int)));
    RUNS(cudaMallocHost(&host, 2 * sizeof(int)));
    for (cudaStream_t& stream : streams) RUNS(cudaStreamCreate(&stream));
    RUNS(cudaEventCreate(&begun));
    RUNS(cudaEventCreate(&copied));
    host[0] = host[1] = 7;

    RUNS(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    RUNS(cudaEventRecord(begun, streams[0]));
    RUNS(cudaStreamWaitEvent(streams[1], begun, 0));
    RUNS(cudaMemcpyAsync(numbers, host, sizeof(int), cudaMemcpyHostToDevice, streams[1]));
    RUNS(cudaEventRecord(copied, streams[1]));
    RUNS(cudaMemsetAsync(numbers + 1, 0, sizeof(int), streams[0]));
    RUNS(cudaStreamWaitEvent(streams[0], copied, 0));
    add_kernel<<<1, 4, 0, streams[0]>>>(numbers, 10, 'x');
    add_kernel<<<1, 4, 0, streams[0]>>>(numbers + 1, 1, 'x');
    int summand = 5;
    char unused = 'x';
    void* arguments[] = {&numbers, &summand, &unused};
    RUNS(cudaLaunchKernel(add_kernel, dim3(1), dim3(4), arguments, 0, streams[0]));
    RUNS(cudaMemcpyAsync(host, numbers, 2 * sizeof(int), cudaMemcpyDeviceToHost, streams[0]));
    RUNS(cudaLaunchHostFunc(streams[0], on_host, &calls));
    CHECK(cudaStreamBeginCapture(streams[1], cudaStreamCaptureModeGlobal) != cudaSuccess);
    cudaStreamCaptureStatus status;
    RUNS(cudaStreamIsCapturing(streams[0], &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    RUNS(cudaStreamEndCapture(streams[0], &graph));
    RUNS(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes == 7 && host[0] == 7 && calls == 0);

    RUNS(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 1; i <= 3; ++i) {
        RUNS(cudaGraphLaunch(exec, streams[0]));
        RUNS(cudaStreamSynchronize(streams[0]));
        CHECK(host[0] == 7 + 60 * i && host[1] == 4 && calls == i);
    }
    RUNS(cudaGraphExecDestroy(exec));
    RUNS(cudaGraphDestroy(graph));
    for (cudaStream_t& stream : streams) RUNS(cudaStreamDestroy(stream));
    RUNS(cudaEventDestroy(begun));
    RUNS(cudaEventDestroy(copied));
    RUNS(cudaFreeHost(host));
    RUNS(cudaFree(numbers));
}

void check_order() {
    int number = 1;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t later, earlier;
    const cudaHostNodeParams plus = {plus_one, &number}, times = {times_ten, &number};
    RUNS(cudaGraphCreate(&graph, 0));
    RUNS(cudaGraphAddHostNode(&later, graph, nullptr, 0, &times));
    RUNS(cudaGraphAddHostNode(&earlier, graph, nullptr, 0, &plus));
#if CUDART_VERSION >= 13000
    RUNS(cudaGraphAddDependencies(graph, &earlier, &later, nullptr, 1));
#else
    RUNS(cudaGraphAddDependencies(graph, &earlier, &later, 1));
#endif
    RUNS(cudaGraphInstantiate(&exec, graph, 0));
    RUNS(cudaGraphLaunch(exec, nullptr));
    RUNS(cudaDeviceSynchronize());
    CHECK(number == 20);
    RUNS(cudaGraphExecDestroy(exec));
    RUNS(cudaGraphDestroy(graph));
}

int main() {
    check_macros();
    check_capture();
    check_order();
    int *d_number, number = 0, calls = 0, summand = 3, blocks = 0, threads = 0, value = 0;
    char unused = 'x';
    RUNS(cudaMalloc(&d_number, sizeof(int)));
    RUNS(cudaMemset(d_number, 0, sizeof(int)));

    cudaStream_t stream;
    cudaEvent_t event;
    RUNS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
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
    add_kernel<<<1, 2048>>>(d_number, 1, 'x');
    CHECK(cudaGetLastError() != cudaSuccess);
    RUNS(cudaEventDestroy(event));
    RUNS(cudaStreamDestroy(stream));
    RUNS(cudaFree(d_number));
}
