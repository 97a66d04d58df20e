/// @file
/// @brief The runtime API of api/more: graphs, and streams that are captured as graphs.
#include "graphs.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "../../grid/device.hpp"
#include "../../streams/captures.hpp"
#include "launches.hpp"

using Step = std::function<void()>;
struct SimGraphNode {
    cudaGraphNodeType type;
    Step run;
    std::vector<SimGraphNode*> dependencies;
    cudaKernelNodeParams kernel = {};
    const SimGraphNode* original = nullptr;  ///< for a node of a clone: the node that was cloned
};
struct SimGraph {
    std::vector<std::unique_ptr<SimGraphNode>> nodes;
};
struct SimGraphExec {
    struct NodeStep {
        const SimGraphNode* node;
        Step run;
        bool enabled = true;
    };
    std::vector<NodeStep> steps;
};

namespace {

cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                     cudaGraphNodeType type, Step run) {
    graph->nodes.push_back(
        std::make_unique<SimGraphNode>(SimGraphNode{type, std::move(run), {after, after + count}}));
    return *node = graph->nodes.back().get(), cudaSuccess;
}

Step kernel_step(const cudaKernelNodeParams* p) {
    const sim::BoundKernel bound = sim::bind_noted(p->func, p->kernelParams);
    const sim::LaunchConfig config{p->gridDim, p->blockDim, p->sharedMemBytes};
    if (!bound) return nullptr;
    return [=] { bound(config, {"a graph", 0}); };
}

/// @return The work of all nodes, ordered so that each node comes after those that it depends on.
std::vector<SimGraphExec::NodeStep> steps(const SimGraph& graph) {
    std::vector<SimGraphExec::NodeStep> result;
    std::set<const SimGraphNode*> done;
    const std::function<void(const SimGraphNode*)> add = [&](const SimGraphNode* node) {
        if (!done.insert(node).second) return;
        for (const SimGraphNode* const before : node->dependencies) add(before);
        result.push_back({node, node->run});
    };
    for (const auto& node : graph.nodes) add(node.get());
    return result;
}

/// @return The step of a node; null if the graph had no such node.
SimGraphExec::NodeStep* find_step(cudaGraphExec_t exec, cudaGraphNode_t node) {
    for (SimGraphExec::NodeStep& step : exec->steps)
        if (step.node == node) return &step;
    return nullptr;
}

/// Copies nodes to an array, if there is one, which has room for `*count` of them. Sets `*count` to the
/// number of all nodes.
cudaError_t list_nodes(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* nodes, size_t* count) {
    for (size_t i = 0; nodes != nullptr && i < *count && i < all.size(); ++i) nodes[i] = all[i];
    return *count = all.size(), cudaSuccess;
}

cudaGraphNodeType type_of(sim::Kept kept) {
    switch (kept) {
        case sim::Kept::kernel: return cudaGraphNodeTypeKernel;
        case sim::Kept::copy: return cudaGraphNodeTypeMemcpy;
        case sim::Kept::set: return cudaGraphNodeTypeMemset;
        default: return cudaGraphNodeTypeHost;
    }
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int) { return *graph = new SimGraph, cudaSuccess; }
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
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
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
    for (const auto& each : clone->nodes)
        if (each->original == original) return *node = each.get(), cudaSuccess;
    return cudaErrorInvalidValue;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   size_t count, const cudaKernelNodeParams* p) {
    Step step = kernel_step(p);
    if (!step) return cudaErrorInvalidDeviceFunction;
    add_node(node, graph, after, count, cudaGraphNodeTypeKernel, std::move(step));
    return (*node)->kernel = *p, cudaSuccess;
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   size_t count, const cudaMemcpy3DParms* p) {
    return add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy, [copy = *p] { cudaMemcpy3D(&copy); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, void* to, const void* from, size_t bytes,
                                     cudaMemcpyKind kind) {
    return add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                    [=] { cudaMemcpy(to, from, bytes, kind); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   size_t count, const cudaMemsetParams* p) {
    return add_node(node, graph, after, count, cudaGraphNodeTypeMemset, [set = *p] {
        std::vector<char> row(set.width * set.elementSize);
        for (size_t i = 0; i < row.size(); ++i)
            row[i] = static_cast<char>(set.value >> i % set.elementSize * 8);
        for (size_t y = 0; y < set.height; ++y)
            cudaMemcpy(static_cast<char*>(set.dst) + y * set.pitch, row.data(), row.size(),
                       cudaMemcpyHostToDevice);
    });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 size_t count, const cudaHostNodeParams* p) {
    return add_node(node, graph, after, count, cudaGraphNodeTypeHost,
                    [host = *p] { host.fn(host.userData); });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  size_t count) {
    return add_node(node, graph, after, count, cudaGraphNodeTypeEmpty, [] {});
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       size_t count, cudaGraph_t child) {
    return add_node(node, graph, after, count, cudaGraphNodeTypeGraph, [all = steps(*child)] {
        for (const SimGraphExec::NodeStep& step : all) step.run();
    });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t count) {
    for (size_t i = 0; i < count; ++i) to[i]->dependencies.push_back(from[i]);
    return cudaSuccess;
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count) {
    size_t edges = 0;
    for (const auto& node : graph->nodes)
        for (SimGraphNode* const before : node->dependencies) {
            if (from != nullptr && edges < *count) from[edges] = before;
            if (to != nullptr && edges < *count) to[edges] = node.get();
            ++edges;
        }
    return *count = edges, cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
    Step step = kernel_step(p);
    if (!step) return cudaErrorInvalidDeviceFunction;
    node->run = std::move(step);
    return node->kernel = *p, cudaSuccess;
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
    return *p = node->kernel, cudaSuccess;
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    return *type = node->type, cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    std::vector<cudaGraphNode_t> all;
    for (const auto& node : graph->nodes) all.push_back(node.get());
    return list_nodes(all, nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    std::vector<cudaGraphNode_t> roots;
    for (const auto& node : graph->nodes)
        if (node->dependencies.empty()) roots.push_back(node.get());
    return list_nodes(roots, nodes, count);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
    return *exec = new SimGraphExec{steps(*graph)}, cudaSuccess;
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
    exec->steps = steps(*graph);
    if (info != nullptr) info->result = cudaGraphExecUpdateSuccess;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return delete exec, cudaSuccess; }
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
    SimGraphExec::NodeStep* const step = find_step(exec, node);
    Step run = kernel_step(p);
    if (step == nullptr) return cudaErrorInvalidValue;
    if (!run) return cudaErrorInvalidDeviceFunction;
    return step->run = std::move(run), cudaSuccess;
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled) {
    SimGraphExec::NodeStep* const step = find_step(exec, node);
    if (step == nullptr) return cudaErrorInvalidValue;
    return step->enabled = enabled != 0, cudaSuccess;
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int* enabled) {
    SimGraphExec::NodeStep* const step = find_step(exec, node);
    if (step == nullptr) return cudaErrorInvalidValue;
    return *enabled = step->enabled, cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    ++sim::launching_together;
    for (const SimGraphExec::NodeStep& step : exec->steps) {
        if (!step.enabled) continue;
        step.run();
        cudaStreamSynchronize(nullptr);
    }
    --sim::launching_together;
    return cudaPeekAtLastError();
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    if (stream == nullptr) return cudaErrorStreamCaptureUnsupported;
    return sim::begin_capture() ? cudaSuccess : cudaErrorIllegalState;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
    if (!sim::are_captured()) return cudaErrorIllegalState;
    cudaGraphCreate(graph, 0);
    for (auto& [kept, run] : sim::end_capture()) {
        const cudaGraphNode_t before = (*graph)->nodes.empty() ? nullptr : (*graph)->nodes.back().get();
        cudaGraphNode_t node;
        add_node(&node, *graph, &before, before != nullptr, type_of(kept), std::move(run));
    }
    return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    const bool active = stream != nullptr && sim::are_captured();
    return *status = active ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone, cudaSuccess;
}
