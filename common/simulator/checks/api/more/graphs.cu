// Graphs: captured from streams, or built from nodes whose order the program specifies.
#include "check.h"

__global__ void add_kernel(int* number, int summand, char) { atomicAdd(number, summand); }
void CUDART_CB on_host(void* data) { ++*static_cast<int*>(data); }
void CUDART_CB plus_one(void* data) { *static_cast<int*>(data) += 1; }
void CUDART_CB times_ten(void* data) { *static_cast<int*>(data) *= 10; }

// Captures two streams, one of which waits for the other. The work runs at each launch of the graph.
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
    cudaGraphNode_t all[7];
    int kernels = 0, copies = 0, sets = 0;
    RUNS(cudaGraphGetNodes(graph, all, &nodes));
    for (cudaGraphNode_t node : all) {
        cudaGraphNodeType type;
        RUNS(cudaGraphNodeGetType(node, &type));
        kernels += type == cudaGraphNodeTypeKernel;
        copies += type == cudaGraphNodeTypeMemcpy;
        sets += type == cudaGraphNodeTypeMemset;
    }
    CHECK(kernels == 3 && copies == 2 && sets == 1);

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

// The graph keeps the bytes of a launch's arguments after the host has destroyed its own copies of them, and
// reads memory at each launch.
struct Summand {
    explicit Summand(int number) : value(number) {}
    Summand(const Summand& other) : value(other.value) { ++copies; }
    ~Summand() { value = 1000, --copies; }
    int value;
    static int copies;
};
int Summand::copies = 0;

__global__ void add_summand_kernel(int* number, Summand summand) { atomicAdd(number, summand.value); }

void check_captured_bytes() {
    int *number, host = 0, result = 0;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    const Summand three(3);
    RUNS(cudaMalloc(&number, sizeof(int)));
    RUNS(cudaStreamCreate(&stream));
    RUNS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    RUNS(cudaMemcpyAsync(number, &host, sizeof(int), cudaMemcpyHostToDevice, stream));
    add_summand_kernel<<<1, 2, 0, stream>>>(number, three);
    CHECK(Summand::copies == 0);
    RUNS(cudaStreamEndCapture(stream, &graph));
    RUNS(cudaStreamDestroy(stream));
    RUNS(cudaGraphInstantiate(&exec, graph, 0));
    for (host = 1; host <= 3; ++host) {
        RUNS(cudaGraphLaunch(exec, nullptr));
        RUNS(cudaMemcpy(&result, number, sizeof(int), cudaMemcpyDeviceToHost));
        CHECK(result == host + 6);
    }
    RUNS(cudaGraphExecDestroy(exec));
    RUNS(cudaGraphDestroy(graph));
    RUNS(cudaFree(number));
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

    cudaGraph_t clone;
    cudaGraphNode_t node;
    cudaGraphNodeType type;
    RUNS(cudaGraphClone(&clone, graph));
    RUNS(cudaGraphNodeFindInClone(&node, later, clone));
    RUNS(cudaGraphNodeGetType(node, &type));
    CHECK(node != later && type == cudaGraphNodeTypeHost);
    CHECK(cudaGraphNodeFindInClone(&node, node, clone) != cudaSuccess);
    RUNS(cudaGraphDestroy(graph));  // the clone does not need it
    RUNS(cudaGraphCreate(&graph, 0));
    RUNS(cudaGraphInstantiate(&exec, clone, 0));
    RUNS(cudaGraphLaunch(exec, nullptr));
    RUNS(cudaDeviceSynchronize());
    CHECK(number == 210);
    RUNS(cudaGraphExecDestroy(exec));
    RUNS(cudaGraphDestroy(clone));
    RUNS(cudaGraphDestroy(graph));
}

// Changes to an instantiated graph do not change the original graph.
void check_changes() {
    int *number, result = 0, summand = 1;
    char unused = 'x';
    void* arguments[] = {&number, &summand, &unused};
    cudaGraph_t graph;
    cudaGraphExec_t exec, other;
    cudaGraphNode_t first, second, root;
    size_t count = 1;
    unsigned int enabled = 1;
    RUNS(cudaMalloc(&number, sizeof(int)));
    RUNS(cudaMemset(number, 0, sizeof(int)));
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(add_kernel);
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    RUNS(cudaGraphCreate(&graph, 0));
    RUNS(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
    RUNS(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    RUNS(cudaGraphGetRootNodes(graph, &root, &count));
    CHECK(root == first && count == 1);
    RUNS(cudaGraphInstantiate(&exec, graph, 0));
    RUNS(cudaGraphInstantiate(&other, graph, 0));
    summand = 10;
    RUNS(cudaGraphExecKernelNodeSetParams(exec, second, &kernel));
    RUNS(cudaGraphLaunch(exec, nullptr));
    RUNS(cudaGraphLaunch(other, nullptr));
    RUNS(cudaMemcpy(&result, number, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(result == 11 + 2);
    RUNS(cudaGraphNodeSetEnabled(exec, first, 0));
    RUNS(cudaGraphNodeGetEnabled(exec, first, &enabled));
    CHECK(enabled == 0);
    RUNS(cudaGraphLaunch(exec, nullptr));
    RUNS(cudaMemcpy(&result, number, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(result == 13 + 10);
    RUNS(cudaGraphExecDestroy(exec));
    RUNS(cudaGraphExecDestroy(other));
    RUNS(cudaGraphDestroy(graph));
    RUNS(cudaFree(number));
}

int main() {
    check_changes();
    check_capture();
    check_captured_bytes();
    check_order();
}
