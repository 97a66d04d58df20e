/// @file
/// @brief The contract of Part II: what a variant of the sum of squares takes, gives and claims.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../cuda/error.cuh"
#include "../cuda/launch_shape.hpp"

/// @brief Adds up the squares of `n` ints, modulo 2^64; enqueues all of it and checks its launches.
/// @param[in]  data      `n` ints. In device memory, unless the variant is the CPU's.
/// @param[in]  n         May be 0, whose sum is 0.
/// @param[out] sum       One number, in the same memory; what it held does not matter.
/// @param      workspace As many numbers as the variant asks for, in the same memory. All are 0 before
///                       the first call; between calls they are the variant's.
/// @param[in]  shape     Blocks and threads; zeros leave the choice to the variant.
/// @throws CudaError, or std::invalid_argument for a shape that can't give the right result.
using SumFunction = void(const int* data, std::size_t n, unsigned long long* sum,
                         unsigned long long* workspace, LaunchShape shape);

/// One step of the progression, with what it claims. Checks hold it to that, and to no more.
struct SumVariant {
    const char* name;
    const char* idea;  ///< one line: what is new
    SumFunction* run;
    /// How many numbers of workspace it needs; null if it needs none.
    std::size_t (*workspace)(std::size_t n, LaunchShape shape) = nullptr;
    bool on_cpu = false;                  ///< data, sum and workspace are in host memory
    bool fixed_shape = false;             ///< its launch is what it is about; another can't be chosen
    bool grid_follows_n = false;          ///< n and the block decide how many blocks
    bool power_of_two_block = false;      ///< right for blocks of 32, 64, 128, … threads
    bool whole_warps = false;             ///< right for blocks of a multiple of 32 threads
    const char* wrong_because = nullptr;  ///< if not null: wrong on purpose, for this reason

    /// @return Why it can't have a shape; empty if it can.
    std::string refusal(const LaunchShape& shape) const {
        const unsigned int block = shape.block;
        if (fixed_shape && (block != 0 || shape.grid != 0)) return "--grid and --block are fixed";
        if (grid_follows_n && shape.grid != 0) return "--grid follows from --n and --block";
        if (power_of_two_block && block != 0 && (block < 32 || (block & (block - 1)) != 0))
            return "--block must be a power of two from 32";
        if (whole_warps && block % 32 != 0) return "--block must be a multiple of 32";
        return "";
    }

    /// @return How many numbers of workspace it needs, which may be none.
    std::size_t workspace_size(std::size_t n, const LaunchShape& shape) const {
        return workspace == nullptr ? 0 : workspace(n, shape);
    }
};

/// @brief The square of an int. Widened first: the square of an int takes up to 63 bits.
/// @par Source
/// C (Caijinping 2014) multiplies and adds in int, which overflows for larger values.
__host__ __device__ inline unsigned long long square(int value) {
    const long long wide = value;
    return static_cast<unsigned long long>(wide * wide);
}

/// @brief The sum to compare with: the plainest loop there is, and no variant's code.
/// @return The sum of `n` squares, modulo 2^64.
inline unsigned long long reference_sum(const int* data, std::size_t n) {
    unsigned long long sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += square(data[i]);
    return sum;
}

/// @brief Lets the CPU add up partial sums that kernels left in device memory, as C does.
/// @param[in]  d_partials `count` numbers in device memory.
/// @param[out] d_sum      Their sum, in device memory as well.
/// @throws CudaError.
inline void add_partials_on_cpu(const unsigned long long* d_partials, std::size_t count,
                                unsigned long long* d_sum) {
    std::vector<unsigned long long> partials(count);
    CUDA_CHECK(cudaMemcpy(partials.data(), d_partials, count * sizeof(*d_partials), cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (const unsigned long long partial : partials) sum += partial;
    CUDA_CHECK(cudaMemcpy(d_sum, &sum, sizeof(sum), cudaMemcpyHostToDevice));
}

/// The sum of nothing, in device memory. @throws CudaError.
inline void clear_sum(unsigned long long* d_sum) { CUDA_CHECK(cudaMemset(d_sum, 0, sizeof(*d_sum))); }
