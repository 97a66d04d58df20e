/// @file
/// @brief Part II: the sum of the squares of ints.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../cuda/error.cuh"
#include "variant.hpp"

template <typename T>
struct NamedInput;
const std::vector<NamedInput<int>>& named_ints();  // see input.hpp, which a kernel does not need

/// @brief The square of an int, which is widened first because the square needs up to 63 bits.
/// @par Source
/// C (Caijinping 2014) multiplies and adds in int, which overflows for larger values.
__host__ __device__ inline unsigned long long square(int value) {
    const long long wide = value;
    return static_cast<unsigned long long>(wide * wide);
}

/// The four squares of a vector, added up.
__device__ inline unsigned long long square(const int4& v) {
    return square(v.x) + square(v.y) + square(v.z) + square(v.w);
}

/// @brief The reference: the simplest possible loop, which shares only `square` with the variants.
/// @return The sum of `n` squares, modulo 2^64.
inline unsigned long long reference_sum(const int* data, std::size_t n) {
    unsigned long long sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += square(data[i]);
    return sum;
}

/// The problem of `Variant<SumOfSquares>`: one number, the sum of `n` squares, modulo 2^64.
struct SumOfSquares {
    using Element = int;  ///< the type of the input's elements
    static constexpr const char* kName = "sum of squares";
    static constexpr const char* kElements = "ints";                ///< the elements' name in messages
    static constexpr std::size_t kResults = 1;                      ///< numbers that a variant computes
    static constexpr std::size_t kDefaultN = std::size_t{1} << 20;  ///< as in the article: 1,048,576
    static constexpr std::size_t kInputCopies = 3;  ///< 06's tree in global memory needs 8 bytes per element
    static constexpr bool kCountsFiles = false;     ///< a file's bytes can't be the input

    /// The inputs for `--input`, the default first.
    static const std::vector<NamedInput<Element>>& inputs() { return named_ints(); }

    /// The title of a table.
    static std::string title(std::size_t n) { return "Sum of " + std::to_string(n) + " squares"; }

    /// @copydoc reference_sum
    static Results reference(const Element* data, std::size_t n) { return {reference_sum(data, n)}; }

    /// The reference is already as fast as one core can be.
    static Results fast_on_cpu(const Element* data, std::size_t n) { return reference(data, n); }

    /// There is nothing to verify beyond the comparison with the reference.
    static std::optional<std::string> verify(const Results&, const Element*, std::size_t) {
        return std::nullopt;
    }

    /// The table's verdict on a correct result.
    static std::string verdict(const Results& sum) { return std::to_string(sum[0]) + " ok"; }

    /// Describes a wrong result.
    static std::string shortfall(const Results& sum, std::size_t) { return std::to_string(sum[0]); }

    /// Adds what `count` equal elements contribute to the results.
    static void add(Results& sum, Element value, std::size_t count) { sum[0] += count * square(value); }
};

/// @brief Adds up on the CPU the partial sums that kernels left in device memory, as C does.
/// @param[in]  d_partials `count` numbers in device memory.
/// @param[out] d_sum      Their sum, in device memory.
/// @throws CudaError.
inline void add_partials_on_cpu(const unsigned long long* d_partials, std::size_t count,
                                unsigned long long* d_sum) {
    // Static, so that only a new `count` allocates memory. `resize` takes longer to compile, in every file.
    static std::vector<unsigned long long> partials;
    if (partials.size() != count) partials = std::vector<unsigned long long>(count);
    CUDA_CHECK(cudaMemcpy(partials.data(), d_partials, count * sizeof(*d_partials), cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (const unsigned long long partial : partials) sum += partial;
    CUDA_CHECK(cudaMemcpy(d_sum, &sum, sizeof(sum), cudaMemcpyHostToDevice));
}

/// Sets a sum in device memory to 0. @throws CudaError.
inline void clear_sum(unsigned long long* d_sum) { CUDA_CHECK(cudaMemset(d_sum, 0, sizeof(*d_sum))); }
