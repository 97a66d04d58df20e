/// @file
/// @brief Checks of exercise 06.1: more than 2^32 values, of which the simulator adds only a few.
#include "../common/checks/far_memory.hpp"
#include "../common/cuda/device.cuh"

/// The tree's result for `n` ints, all of them 0 except the last.
inline unsigned long long sum_with_last(int last, std::size_t n) {
    const auto data = check_detail::zeros_without_room<int>(n);
    const auto values = check_detail::zeros_without_room<unsigned long long>(n);
    data[n - 1] = last;
    const check_detail::EndsOnly ends_only;
    try {  // the values are in host memory, so the tree is complete when copying its root fails
        sum_global_tree(data.get(), n, nullptr, values.get(), {0, 1024});
    } catch (const CudaError&) {
        static_cast<void>(cudaGetLastError());  // clears this error; a kernel's fault would remain
    }
    return values[0];
}

/// Puts a single element after more than 2^33 zeros, unless a launch has so many blocks that those which run
/// don't even reach the end of fewer elements.
inline void sum_far_tree(const int* d_data, std::size_t n, unsigned long long* d_sum,
                         unsigned long long* d_values, LaunchShape shape) {
    const auto call = [&] { sum_global_tree(d_data, n, d_sum, d_values, shape); };
    if (n != 1 || !is_simulated() || !check_detail::kHasFarMemory) return call();
    int last = 0;
    CUDA_CHECK(cudaMemcpy(&last, d_data, sizeof(last), cudaMemcpyDeviceToHost));
    if (sum_with_last(last, (1u << 24) + 5) != square(last)) return call();
    const unsigned long long sum = sum_with_last(last, static_cast<std::size_t>((1ull << 33) + 5));
    CUDA_CHECK(cudaMemcpy(d_sum, &sum, sizeof(sum), cudaMemcpyHostToDevice));
}

inline const Variant<SumOfSquares> kMoreCheck = {
    .name = "",
    .idea =
        "Here, the array has more than 2^33 zeros before this element. Do all indices and counts have 64 "
        "bits?",
    .run = sum_far_tree,
    .workspace = [](std::size_t n, LaunchShape) { return n; },
    .fixed_shape = true};
