/// @file
/// @brief Part II: the sum of the squares of ints.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../cuda/error.cuh"
#include "input.hpp"
#include "variant.hpp"

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

/// What `Variant<SumOfSquares>` computes: one number, the sum of `n` squares, modulo 2^64.
struct SumOfSquares {
    using Element = int;  ///< what the input consists of
    static constexpr const char* kName = "sum of squares";
    static constexpr const char* kElements = "ints";                ///< what n counts
    static constexpr std::size_t kResults = 1;                      ///< what a variant computes
    static constexpr std::size_t kDefaultN = std::size_t{1} << 20;  ///< the article's 1,048,576
    static constexpr std::size_t kInputCopies = 3;  ///< 06's tree in global memory takes 8 bytes per element
    static constexpr bool kCountsFiles = false;     ///< a file's bytes can't be the input

    /// What `--input` can name; the default first.
    static const std::vector<NamedInput<Element>>& inputs() { return named_ints(); }

    /// What stands above a table.
    static std::string title(std::size_t n) { return "Sum of " + std::to_string(n) + " squares"; }

    /// @copydoc reference_sum
    static Results reference(const Element* data, std::size_t n) { return {reference_sum(data, n)}; }

    /// The loop leaves one core nothing to gain.
    static Results fast_on_cpu(const Element* data, std::size_t n) { return reference(data, n); }

    /// The comparison with the reference is all there is.
    static std::optional<std::string> verify(const Results&, const Element*, std::size_t) {
        return std::nullopt;
    }

    /// The verdict on a right result, in the table.
    static std::string verdict(const Results& sum) { return std::to_string(sum[0]) + " ok"; }

    /// Wrong results, in words.
    static std::string shortfall(const Results& sum, std::size_t) { return std::to_string(sum[0]); }

    /// Adds what `count` equal elements contribute to the results.
    static void add(Results& sum, Element value, std::size_t count) { sum[0] += count * square(value); }
};

/// @brief Lets the CPU add up partial sums that kernels left in device memory, as C does.
/// @param[in]  d_partials `count` numbers in device memory.
/// @param[out] d_sum      Their sum, in device memory as well.
/// @throws CudaError.
inline void add_partials_on_cpu(const unsigned long long* d_partials, std::size_t count,
                                unsigned long long* d_sum) {
    static std::vector<unsigned long long> partials;  // kept, so that only the first call allocates it
    partials.resize(count);
    CUDA_CHECK(cudaMemcpy(partials.data(), d_partials, count * sizeof(*d_partials), cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (const unsigned long long partial : partials) sum += partial;
    CUDA_CHECK(cudaMemcpy(d_sum, &sum, sizeof(sum), cudaMemcpyHostToDevice));
}

/// The sum of nothing, in device memory. @throws CudaError.
inline void clear_sum(unsigned long long* d_sum) { CUDA_CHECK(cudaMemset(d_sum, 0, sizeof(*d_sum))); }
