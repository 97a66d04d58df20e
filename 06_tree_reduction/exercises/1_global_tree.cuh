/// @file
/// @brief Checks of exercise 06.1: more than 2^32 values, of which the simulator adds only a few.
#include "../common/checks/far_memory.hpp"
#include "../common/cuda/device.cuh"

/// Puts a single element after more than 2^33 zeros.
inline void sum_far_tree(const int* d_data, std::size_t n, unsigned long long* d_sum,
                         unsigned long long* d_values, LaunchShape shape) {
    if (n != 1 || !is_simulated() || !check_detail::kHasFarMemory)
        return sum_global_tree(d_data, n, d_sum, d_values, shape);
    constexpr auto kFar = static_cast<std::size_t>((1ull << 33) + 5);
    const auto data = check_detail::zeros_without_room<int>(kFar);
    const auto values = check_detail::zeros_without_room<unsigned long long>(kFar);
    CUDA_CHECK(cudaMemcpy(&data[kFar - 1], d_data, sizeof(int), cudaMemcpyDeviceToHost));
    const check_detail::EndsOnly ends_only;
    try {  // the values are in host memory, so the tree is complete when copying its root fails
        sum_global_tree(data.get(), kFar, nullptr, values.get(), {0, 1024});
    } catch (const CudaError&) {
        static_cast<void>(cudaGetLastError());  // clears this error; a kernel's fault would remain
    }
    CUDA_CHECK(cudaMemcpy(d_sum, &values[0], sizeof(*d_sum), cudaMemcpyHostToDevice));
}

inline const Variant<SumOfSquares> kMoreCheck = {
    .name = "",
    .idea =
        "Here, the array has more than 2^33 zeros before this element. Do all indices and counts have 64 "
        "bits?",
    .run = sum_far_tree,
    .workspace = [](std::size_t n, LaunchShape) { return n; },
    .fixed_shape = true};
