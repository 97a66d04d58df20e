/// @file
/// @brief Random data in pinned memory, which no file has to be read for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../common/cuda/error.cuh"
#include "../../common/problem/cores.hpp"
#include "source.hpp"

/// Words of 8 bytes in pinned memory.
class GeneratedData {
 public:
    /// @param[in] range Which bytes of an endless sequence: multiples of 8. @throws CudaError.
    explicit GeneratedData(const Range& range) {
        if (range.first == range.last) return;
        CUDA_CHECK(cudaMallocHost(&words_, range.last - range.first));
        const std::size_t before = range.first / 8;
        on_cores(core_count(), range.last / 8 - before, [=, this](std::size_t first, std::size_t count) {
            for (std::size_t i = first; i < first + count; ++i) words_[i] = mixed(before + i);
            return true;
        });
    }
    ~GeneratedData() {
        if (words_ != nullptr) cudaFreeHost(words_);
    }
    GeneratedData(const GeneratedData&) = delete;
    GeneratedData& operator=(const GeneratedData&) = delete;

    /// The first byte.
    const unsigned char* data() const { return reinterpret_cast<const unsigned char*>(words_); }

 private:
    /// @par Source
    /// The finalizer of splitmix64 (Vigna).
    static unsigned long long mixed(unsigned long long x) {
        x = (x + 1) * 0x9e3779b97f4a7c15u;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        return x ^ x >> 31;
    }

    unsigned long long* words_ = nullptr;
};
