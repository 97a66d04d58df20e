/// @file
/// @brief A variant with memory of its own, for benchmarks and checks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "../cuda/device_buffer.cuh"
#include "variant.hpp"

/// A launch failed, and the variant did not notice.
class UnnoticedError : public CudaError {
    using CudaError::CudaError;
};

/// @brief A variant with its results and workspace, in device memory or, for the CPU's variants, in host
///        memory. A redzone after each reveals writes past the end. Unwritten numbers contain the poison. On
///        a device, cudaMemset sets it: the simulator's lens takes memory with this byte for never written.
template <typename Problem>
class PreparedVariant {
 public:
    using Element = typename Problem::Element;  ///< the type of the input's elements
    static constexpr unsigned long long kRedzoneValue = 0x5A5A5A5A5A5A5A5Aull;  ///< what a redzone contains
    static constexpr std::size_t kRedzone = 16;                                 ///< numbers in a redzone
    static constexpr unsigned long long kPoison = 0xA5A5A5A5A5A5A5A5ull;  ///< what unwritten numbers contain

    /// @param[in] variant Must outlive this object.
    /// @throws CudaError.
    PreparedVariant(const Variant<Problem>& variant, std::size_t n, const LaunchShape& shape)
        : variant_(variant),
          n_(n),
          shape_(shape),
          results_(variant.results + kRedzone, kPoison),
          workspace_(variant.workspace_size(n, shape) + kRedzone, kPoison),
          d_results_(variant.on_cpu ? 0 : results_.size()),
          d_workspace_(variant.on_cpu ? 0 : workspace_.size()) {
        if (variant.zeroed_workspace) std::fill(workspace_.begin(), workspace_.end() - kRedzone, 0);
        for (Results* const buffer : {&results_, &workspace_})
            std::fill(buffer->end() - kRedzone, buffer->end(), kRedzoneValue);
        if (variant.on_cpu) return;
        copy(results_, d_results_);
        copy(workspace_, d_workspace_);
        poison();
        if (!variant.zeroed_workspace) poison(d_workspace_);
    }

    /// Overwrites the old results, so that missing stores are found. The workspace keeps its contents.
    void poison() {
        std::fill(results_.begin(), results_.end() - kRedzone, kPoison);
        if (!variant_.on_cpu) poison(d_results_);
    }

    /// Overwrites the old results with a number.
    void fill(unsigned long long number) {
        std::fill(results_.begin(), results_.end() - kRedzone, number);
        if (!variant_.on_cpu) copy(results_, d_results_);
    }

    /// Runs the variant. @param[in] data `n` elements in device memory, or in the host's for CPU variants.
    /// @throws UnnoticedError, and what the variant throws.
    void call(const Element* data) {
        if (!variant_.on_cpu) cudaGetLastError();  // clears older errors, which are not this variant's
        if (variant_.on_cpu)
            variant_.run(data, n_, results_.data(), workspace_.data(), shape_);
        else
            variant_.run(data, n_, d_results_.data(), d_workspace_.data(), shape_);
        if (variant_.on_cpu) return;
        if (const cudaError_t error = cudaGetLastError();
            error != cudaSuccess)  // cleared for the next variant
            throw UnnoticedError(error, "a launch without CUDA_CHECK(cudaGetLastError()) after it", __FILE__,
                                 __LINE__);
    }

    /// @return The results, copied to host memory. Waits as `DeviceBuffer::to_host` does. @throws CudaError.
    Results results() {
        if (!variant_.on_cpu) results_ = d_results_.to_host();
        return Results(results_.begin(), results_.end() - kRedzone);
    }

    /// The results and the workspace, each with the redzone after it.
    struct Contents {
        Results results, workspace;
    };

    /// @return A copy in host memory. Waits as `DeviceBuffer::to_host` does. @throws CudaError.
    Contents contents() {
        if (!variant_.on_cpu) results_ = d_results_.to_host(), workspace_ = d_workspace_.to_host();
        return {results_, workspace_};
    }

    /// Replaces the contents by others of the same sizes, such as another process's. Results or a workspace
    /// that are all poison count as never written.
    void set(const Contents& contents) {
        results_ = contents.results;
        workspace_ = contents.workspace;
        if (variant_.on_cpu) return;
        for (const auto& [host, device] :
             {std::pair{&results_, &d_results_}, std::pair{&workspace_, &d_workspace_}}) {
            copy(*host, *device);
            if (std::all_of(host->begin(), host->end() - kRedzone,
                            [](auto number) { return number == kPoison; }))
                poison(*device);
        }
    }

    /// @return A description of the first write past the end; nothing if there was none. @throws CudaError.
    std::optional<std::string> overrun() const {
        const auto past = [this](const Results& host, const DeviceBuffer<unsigned long long>& d_buffer,
                                 const char* what) -> std::optional<std::string> {
            const std::size_t end = host.size() - kRedzone;
            Results redzone(host.begin() + static_cast<std::ptrdiff_t>(end), host.end());
            if (!variant_.on_cpu)
                CUDA_CHECK(cudaMemcpy(redzone.data(), d_buffer.data() + end, kRedzone * sizeof(redzone[0]),
                                      cudaMemcpyDeviceToHost));
            for (std::size_t i = 0; i < kRedzone; ++i)
                if (redzone[i] != kRedzoneValue)
                    return "element " + std::to_string(end + i) + " of the " + what +
                           " is past the end, but was written";
            return std::nullopt;
        };
        const auto wrong = past(results_, d_results_, "results");
        return wrong ? wrong : past(workspace_, d_workspace_, "workspace");
    }

 private:
    static void poison(const DeviceBuffer<unsigned long long>& d_buffer) {
        CUDA_CHECK(cudaMemset(d_buffer.data(), 0xA5, d_buffer.bytes() - kRedzone * sizeof(kPoison)));
    }
    static void copy(const Results& host, const DeviceBuffer<unsigned long long>& d_buffer) {
        CUDA_CHECK(cudaMemcpy(d_buffer.data(), host.data(), d_buffer.bytes(), cudaMemcpyHostToDevice));
    }

    const Variant<Problem>& variant_;
    const std::size_t n_;
    const LaunchShape shape_;
    Results results_, workspace_;  ///< in use by the CPU's variants, copies for others
    const DeviceBuffer<unsigned long long> d_results_, d_workspace_;
};
