/// @file
/// @brief Checks of exercise 05.3: the last of more than 2^32 threads, of which the simulator runs only a
/// few.
#include "../common/checks/far_memory.hpp"
#include "../common/cuda/device.cuh"

/// Gives a single element to the last thread, and zeros to all others.
inline void sum_of_last_thread(const int* d_data, std::size_t n, unsigned long long* d_sum,
                               unsigned long long* d_partials, LaunchShape shape) {
    if (n != 1 || !is_simulated() || !check_detail::kHasFarMemory)
        return sum_fitting(d_data, n, d_sum, d_partials, shape);
    constexpr unsigned int kGrid = (1u << 22) + 4, kThreads = 1024;
    constexpr std::size_t kLast = std::size_t{kGrid} * kThreads - 1;
    const auto data = check_detail::zeros_without_room<int>(kLast + 1);
    const auto partials = check_detail::zeros_without_room<unsigned long long>(kLast + 1);
    check_detail::forbid_mebibyte(data.get(), 0);
    CUDA_CHECK(cudaMemcpy(&data[kLast], d_data, sizeof(int), cudaMemcpyDeviceToHost));
    {
        const check_detail::EndsOnly ends_only;
        blocks_kernel<<<kGrid, kThreads>>>(data.get(), kLast + 1, partials.get());
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaMemcpy(d_sum, &partials[kLast], sizeof(*d_sum), cudaMemcpyHostToDevice));
}

inline const Variant<SumOfSquares> kMoreCheck = {
    .name = "",
    .idea =
        "This grid has more than 2^32 threads, and only the last one has an element other than 0. Do the "
        "index and the stride have 64 bits?",
    .run = sum_of_last_thread,
    .workspace =
        [](std::size_t, LaunchShape shape) {
            const LaunchShape fits = fitting(shape);
            return std::size_t{fits.grid} * fits.block;
        },
    .fixed_shape = true};
