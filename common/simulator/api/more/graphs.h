/// @file
/// @brief Graphs of kernels, copies and functions of the host. Each node runs after those that it
/// depends on.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "launches.h"
#include "pitched_memory.h"
#include "streams.h"

enum cudaGraphNodeType {  // the first four as in sim::Kept
    cudaGraphNodeTypeKernel,
    cudaGraphNodeTypeMemcpy,
    cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph,
    cudaGraphNodeTypeEmpty,
};
struct cudaKernelNodeParams {
    void* func;
    dim3 gridDim, blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams, **extra;
};
struct SimGraphNode {
    cudaGraphNodeType type;
    std::function<void()> run;
    std::vector<SimGraphNode*> dependencies;
    cudaKernelNodeParams kernel = {};
    const SimGraphNode* original = nullptr;  ///< of a clone's node
};
struct SimGraph {
    std::vector<std::unique_ptr<SimGraphNode>> nodes;
};
struct SimGraphExec {
    std::vector<std::function<void()>> steps;
};
using cudaGraph_t = SimGraph*;
using cudaGraphExec_t = SimGraphExec*;
using cudaGraphNode_t = SimGraphNode*;

struct cudaMemsetParams {
    void* dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void* userData;
};

inline cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int) {
    return *graph = new SimGraph, cudaSuccess;
}
/// The clone's nodes depend on each other as the original's do.
inline cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
    *clone = new SimGraph;
    std::map<const SimGraphNode*, SimGraphNode*> copies;
    for (const auto& node : graph->nodes) {
        (*clone)->nodes.push_back(std::make_unique<SimGraphNode>(*node));
        copies[node.get()] = (*clone)->nodes.back().get();
        copies[node.get()]->original = node.get();
    }
    for (const auto& node : (*clone)->nodes)
        for (SimGraphNode*& before : node->dependencies) before = copies.at(before);
    return cudaSuccess;
}
inline cudaError_t cudaGraphNodeFindInClone(SimGraphNode** node, SimGraphNode* original, cudaGraph_t clone) {
    for (const auto& each : clone->nodes)
        if (each->original == original) return *node = each.get(), cudaSuccess;
    return cudaErrorInvalidValue;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return delete exec, cudaSuccess; }

namespace sim {
inline cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                            size_t count, cudaGraphNodeType type, std::function<void()> run) {
    graph->nodes.push_back(
        std::make_unique<SimGraphNode>(SimGraphNode{type, std::move(run), {after, after + count}}));
    return *node = graph->nodes.back().get(), cudaSuccess;
}
inline std::function<void()> kernel_step(const cudaKernelNodeParams* p) {
    const BoundKernel bound = bind_known(p->func, p->kernelParams);
    const LaunchConfig config{p->gridDim, p->blockDim, p->sharedMemBytes};
    if (!bound) return nullptr;
    return [=] { bound(config, {"a graph", 0}); };
}
}  // namespace sim

namespace sim {
/// What the nodes do, each after those that it depends on.
inline std::vector<std::function<void()>> steps(const SimGraph& graph) {
    std::vector<std::function<void()>> result;
    std::set<const SimGraphNode*> done;
    const std::function<void(const SimGraphNode*)> add = [&](const SimGraphNode* node) {
        if (!done.insert(node).second) return;
        for (const SimGraphNode* const before : node->dependencies) add(before);
        result.push_back(node->run);
    };
    for (const auto& node : graph.nodes) add(node.get());
    return result;
}
}  // namespace sim

inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, size_t count,
                                          const cudaKernelNodeParams* p) {
    std::function<void()> step = sim::kernel_step(p);
    if (!step) return cudaErrorInvalidDeviceFunction;
    sim::add_node(node, graph, after, count, cudaGraphNodeTypeKernel, std::move(step));
    return (*node)->kernel = *p, cudaSuccess;
}
inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, size_t count,
                                          const cudaMemcpy3DParms* p) {
    return sim::add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                         [copy = *p] { cudaMemcpy3D(&copy); });
}
inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                            const cudaGraphNode_t* after, size_t count, void* to,
                                            const void* from, size_t bytes, cudaMemcpyKind kind) {
    return sim::add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                         [=] { cudaMemcpy(to, from, bytes, kind); });
}
inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, size_t count,
                                          const cudaMemsetParams* p) {
    return sim::add_node(node, graph, after, count, cudaGraphNodeTypeMemset, [set = *p] {
        std::vector<char> row(set.width * set.elementSize);
        for (size_t i = 0; i < row.size(); ++i)
            row[i] = static_cast<char>(set.value >> i % set.elementSize * 8);
        for (size_t y = 0; y < set.height; ++y)
            cudaMemcpy(static_cast<char*>(set.dst) + y * set.pitch, row.data(), row.size(),
                       cudaMemcpyHostToDevice);
    });
}
inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, size_t count,
                                        const cudaHostNodeParams* p) {
    return sim::add_node(node, graph, after, count, cudaGraphNodeTypeHost,
                         [host = *p] { host.fn(host.userData); });
}
inline cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                         const cudaGraphNode_t* after, size_t count) {
    return sim::add_node(node, graph, after, count, cudaGraphNodeTypeEmpty, [] {});
}
inline cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* after, size_t count, cudaGraph_t child) {
    return sim::add_node(node, graph, after, count, cudaGraphNodeTypeGraph, [steps = sim::steps(*child)] {
        for (const auto& step : steps) step();
    });
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, size_t count) {
    for (size_t i = 0; i < count; ++i) to[i]->dependencies.push_back(from[i]);
    return cudaSuccess;
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, const void*, size_t count) {
    return cudaGraphAddDependencies(graph, from, to, count);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                     size_t* count) {
    size_t edges = 0;
    for (const auto& node : graph->nodes)
        for (SimGraphNode* const before : node->dependencies) {
            if (from != nullptr && edges < *count) from[edges] = before;
            if (to != nullptr && edges < *count) to[edges] = node.get();
            ++edges;
        }
    return *count = edges, cudaSuccess;
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, void*,
                                     size_t* count) {
    return cudaGraphGetEdges(graph, from, to, count);
}
inline cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
    std::function<void()> step = sim::kernel_step(p);
    if (!step) return cudaErrorInvalidDeviceFunction;
    node->run = std::move(step);
    return node->kernel = *p, cudaSuccess;
}
inline cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
    return *p = node->kernel, cudaSuccess;
}
inline cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    return *type = node->type, cudaSuccess;
}
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    for (size_t i = 0; nodes != nullptr && i < *count && i < graph->nodes.size(); ++i)
        nodes[i] = graph->nodes[i].get();
    return *count = graph->nodes.size(), cudaSuccess;
}

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long = 0) {
    return *exec = new SimGraphExec{sim::steps(*graph)}, cudaSuccess;
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                 unsigned long long) {
    return cudaGraphInstantiate(exec, graph);
}
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t*, char*,
                                        size_t) {
    return cudaGraphInstantiate(exec, graph);
}
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError };
struct cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
};
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphExecUpdateResultInfo* info) {
    exec->steps = sim::steps(*graph);
    if (info != nullptr) info->result = cudaGraphExecUpdateSuccess;
    return cudaSuccess;
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t*,
                                       cudaGraphExecUpdateResult* result) {
    if (result != nullptr) *result = cudaGraphExecUpdateSuccess;
    return cudaGraphExecUpdate(exec, graph, nullptr);
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    for (const auto& step : exec->steps) {
        step();
        cudaStreamSynchronize(nullptr);
    }
    return cudaPeekAtLastError();
}

/// @name Capturing streams
/// @{
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed,
};
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };

inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    if (stream == nullptr) return cudaErrorStreamCaptureUnsupported;
    return sim::begin_capture() ? cudaSuccess : cudaErrorIllegalState;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
    if (!sim::are_captured()) return cudaErrorIllegalState;
    cudaGraphCreate(graph, 0);
    for (auto& [kept, run] : sim::end_capture()) {
        const cudaGraphNode_t before = (*graph)->nodes.empty() ? nullptr : (*graph)->nodes.back().get();
        cudaGraphNode_t node;
        sim::add_node(&node, *graph, &before, before != nullptr, cudaGraphNodeType(kept), std::move(run));
    }
    return cudaSuccess;
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    const bool active = stream != nullptr && sim::are_captured();
    return *status = active ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone, cudaSuccess;
}
/// @}
