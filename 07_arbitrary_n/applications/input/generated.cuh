/// @file
/// @brief Random data that are generated, not read from a file: the same in host memory and on GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../../../common/cuda/error.cuh"
#include "../../../common/problem/cores.hpp"
#include "source.hpp"

/// @brief Word `i` of the data.
/// @par Source
/// The finalizer of splitmix64 (Vigna).
__host__ __device__ inline unsigned long long generated_word(unsigned long long i) {
    unsigned long long x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/// Generates `count` words in host memory, beginning with word `before`, on all cores.
inline void generate(unsigned long long* words, std::size_t count, std::uint64_t before = 0) {
    on_cores(core_count(), count, [words, before](std::size_t first, std::size_t own) {
        for (std::size_t i = first; i < first + own; ++i) words[i] = generated_word(before + i);
        return true;
    });
}

/// Generated words of 8 bytes in host memory.
class GeneratedData {
 public:
    /// @param[in] range Which bytes of an endless sequence. Both ends are multiples of 8.
    /// @param[in] pinned False for pageable memory.
    /// @throws CudaError.
    GeneratedData(const Range& range, bool pinned) {
        const std::uint64_t bytes = range.last - range.first;
        if (bytes == 0) return;
        if (pinned)
            CUDA_CHECK(cudaMallocHost(&pinned_, bytes));
        else
            pageable_ = std::make_unique_for_overwrite<unsigned long long[]>(bytes / 8);
        generate(words(), bytes / 8, range.first / 8);
    }
    ~GeneratedData() {
        if (pinned_ != nullptr) cudaFreeHost(pinned_);
    }
    GeneratedData(const GeneratedData&) = delete;
    GeneratedData& operator=(const GeneratedData&) = delete;

    /// The first byte.
    const unsigned char* data() const { return reinterpret_cast<const unsigned char*>(words()); }

 private:
    unsigned long long* words() const { return pinned_ != nullptr ? pinned_ : pageable_.get(); }

    unsigned long long* pinned_ = nullptr;
    std::unique_ptr<unsigned long long[]> pageable_;
};
