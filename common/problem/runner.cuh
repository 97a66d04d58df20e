/// @file
/// @brief Runs a variant in memory of its own: for the bench and for checks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "../cuda/device_buffer.cuh"
#include "variant.hpp"

/// A launch has failed, and the variant has not noticed it.
class UnnoticedError : public CudaError {
    using CudaError::CudaError;
};

/// @brief A variant with its results and its workspace, where it expects them: in device memory or, for the
///        CPU's variants, in host memory. Behind both lies a fence, which shows what was written past the
///        end.
template <typename Problem>
class Runner {
 public:
    using Element = typename Problem::Element;  ///< what the input consists of

    /// @param[in] variant Must outlive the runner.
    /// @throws CudaError.
    Runner(const Variant<Problem>& variant, std::size_t n, const LaunchShape& shape)
        : variant_(variant),
          n_(n),
          shape_(shape),
          results_(variant.results + kFence, kPoison),
          workspace_(variant.workspace_size(n, shape) + kFence, kPoison),
          d_results_(variant.on_cpu ? 0 : results_.size()),
          d_workspace_(variant.on_cpu ? 0 : workspace_.size()) {
        if (variant.zeroed_workspace) std::fill(workspace_.begin(), workspace_.end() - kFence, 0);
        if (variant.on_cpu) return;
        copy(results_, d_results_);
        copy(workspace_, d_workspace_);
    }

    /// Overwrites the old results, so that one which is not written again is found. The workspace stays.
    void poison() {
        std::fill(results_.begin(), results_.end(), kPoison);
        if (!variant_.on_cpu) copy(results_, d_results_);
    }

    /// @param[in] data `n` elements where the variant expects them.
    /// @throws UnnoticedError, and what the variant throws.
    void run(const Element* data) {
        if (!variant_.on_cpu) cudaGetLastError();  // what came before is not this variant's
        if (variant_.on_cpu)
            variant_.run(data, n_, results_.data(), workspace_.data(), shape_);
        else
            variant_.run(data, n_, d_results_.data(), d_workspace_.data(), shape_);
        if (variant_.on_cpu) return;
        if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)  // and not the next variant's
            throw UnnoticedError(error, "a launch without CUDA_CHECK(cudaGetLastError()) after it", __FILE__,
                                 __LINE__);
    }

    /// @return The results, copied back; waits for all work that was launched before. @throws CudaError.
    Results results() {
        if (!variant_.on_cpu) results_ = d_results_.to_host();
        return Results(results_.begin(), results_.end() - kFence);
    }

    /// @return What was written past the end, in words; nothing if all is well. @throws CudaError.
    std::optional<std::string> overrun() const {
        const auto past = [this](const Results& host, const DeviceBuffer<unsigned long long>& d_buffer,
                                 const char* what) -> std::optional<std::string> {
            const Results all = variant_.on_cpu ? host : d_buffer.to_host();
            for (std::size_t i = all.size() - kFence; i < all.size(); ++i)
                if (all[i] != kPoison)
                    return "number " + std::to_string(i) + " of the " + what + ", past the last, was written";
            return std::nullopt;
        };
        const auto wrong = past(results_, d_results_, "results");
        return wrong ? wrong : past(workspace_, d_workspace_, "workspace");
    }

 private:
    static constexpr std::size_t kFence = 16;
    static constexpr unsigned long long kPoison = 0xA5A5A5A5A5A5A5A5ull;

    static void copy(const Results& host, const DeviceBuffer<unsigned long long>& d_buffer) {
        CUDA_CHECK(cudaMemcpy(d_buffer.data(), host.data(), d_buffer.bytes(), cudaMemcpyHostToDevice));
    }

    const Variant<Problem>& variant_;
    const std::size_t n_;
    const LaunchShape shape_;
    Results results_, workspace_;  ///< of the CPU's variants, or copies
    const DeviceBuffer<unsigned long long> d_results_, d_workspace_;
};
