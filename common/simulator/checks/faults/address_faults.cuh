/// @file
/// @brief Checks that uses of misaligned addresses, and of addresses outside all allocations, are found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../../cuda/device_buffer.cuh"
#include "faults.cuh"

namespace fault_checks {

constexpr int kReadLine = __LINE__ + 3;
template <typename T>
__global__ void read_kernel(const T* d_data, T* d_result) {
    if (threadIdx.x == 3) *d_result = *d_data;
}

TEST_CASE("a read just past or just before an allocation of whole pages is found") {
    for (const std::ptrdiff_t index : {-1, 1 << 14}) {
        int* d_data = nullptr;
        const int line = __LINE__ + 1;
        CUDA_CHECK(cudaMalloc(&d_data, 1 << 16));
        const auto launch = [=] { read_kernel<<<1, 32>>>(d_data + index, d_data); };
        CHECK(says(fault_of(launch, cudaErrorIllegalAddress),
                   {"read_kernel", "block (0, 0, 0): thread (3, 0, 0) at ", here(kReadLine), " uses ",
                    byte_text(4 * index, 1 << 16), " allocated at ", here(line)}));
    }
}

// The CPU finds only reads past the end of a page. In the interleaved build, each load is checked.
TEST_CASE("a read of any byte just past or just before an allocation of any size is found", "[race]") {
    for (const std::size_t bytes : {1, 100, 255, 256, 257, 4000})
        for (const auto offset : {std::ptrdiff_t{-1}, std::ptrdiff_t(bytes), std::ptrdiff_t(bytes + 100)}) {
            char *d_data = nullptr, *d_result = nullptr;
            CUDA_CHECK(cudaMalloc(&d_data, bytes));
            CUDA_CHECK(cudaMalloc(&d_result, 1));
            const auto launch = [=] { read_kernel<<<1, 32>>>(d_data + offset, d_result); };
            CHECK(says(fault_of(launch, cudaErrorIllegalAddress),
                       {"block (0, 0, 0): thread (3, 0, 0) at ", "uses ", byte_text(offset, bytes)}));
        }
}

__global__ void update_kernel(char* d_data) {
    if (threadIdx.x == 3) *d_data = static_cast<char>(*d_data + 1);
}

TEST_CASE("AddressSanitizer, if it is enabled, finds uses of the bytes past and before an allocation") {
    if (!kSanitized) return skip_check("this build has no AddressSanitizer");
    for (const std::size_t bytes : {1, 100, 3000})
        for (const auto offset : {std::ptrdiff_t{-1}, std::ptrdiff_t(bytes), std::ptrdiff_t(bytes + 70)}) {
            const auto [status, words] = process_of([bytes, offset] {
                char* d_data = nullptr;
                cudaMalloc(&d_data, bytes);
                update_kernel<<<1, 32>>>(d_data + offset);
            });
            CHECK(status == 1);
            CHECK(says(words, {"AddressSanitizer: use-after-poison", "update_kernel"}));
        }
}

TEST_CASE("a write to any byte just past or just before an allocation of any size is found") {
    if (kSanitized) return skip_check("the sanitizer ends the program before the simulator hears of it");
    for (const std::size_t bytes : {1, 100, 255, 256, 257, 4000, 4095, 4096, 100000})
        for (const std::ptrdiff_t distance : {0, 1, 200, 255, 4096}) {
            for (const std::ptrdiff_t offset : {-1 - distance, std::ptrdiff_t(bytes) + distance}) {
                char* d_data = nullptr;
                CUDA_CHECK(cudaMalloc(&d_data, bytes));
                const auto launch = [=] { update_kernel<<<1, 32>>>(d_data + offset); };
                CHECK(says(fault_of(launch, cudaErrorIllegalAddress),
                           {"update_kernel (launched at ", byte_text(offset, bytes)}));
            }
        }
}

/// Writes past the end of the array that `number` selects.
__global__ void __launch_bounds__(64) parameters_kernel(int number, int* __restrict__ d_ints,
                                                        short d_shorts[], double*, void* d_bytes = nullptr) {
    if (number == 0) d_ints[6] = 1;
    if (number == 1) d_shorts[2] = 1;
    if (number == 2) static_cast<char*>(d_bytes)[9] = 1;
}
/// @{
/// Kernels of the same name, whose parameters have different names.
__global__ void two_names_kernel(int* d_one, int) { *d_one = 1; }
__global__ void two_names_kernel(int* d_other, float) { *d_other = 1; }
/// @}
template <typename T, int kCount>
__global__ void specialized_kernel(T* d_data);
template <>
__global__ void specialized_kernel<int, 3>(int* d_special) {
    d_special[1] = 2;
}

TEST_CASE("messages name memory by the element of the kernel's parameter, as far as it is known") {
    if (kSanitized) return skip_check("the sanitizer ends the program before the simulator hears of it");
    const auto said = [](void (*run)(char* d_bytes)) {
        char* d_bytes = nullptr;
        CUDA_CHECK(cudaMalloc(&d_bytes, 24));
        return fault_of([=] { run(d_bytes); }, cudaErrorIllegalAddress);
    };
    const std::string end = ", the byte right past the end of a buffer of 24 bytes";
    CHECK(says(
        said([](char* d) { parameters_kernel<<<1, 1>>>(0, reinterpret_cast<int*>(d), nullptr, nullptr); }),
        {" d_ints[6]" + end}));
    CHECK(says(said([](char* d) {  // d_shorts is nearer
                   parameters_kernel<<<1, 1>>>(1, reinterpret_cast<int*>(d), reinterpret_cast<short*>(d + 20),
                                               nullptr, d);
               }),
               {" d_shorts[2]" + end}));
    CHECK(says(said([](char* d) { parameters_kernel<<<1, 1>>>(2, nullptr, nullptr, nullptr, d + 15); }),
               {" d_bytes[9]" + end}));
    CHECK(says(said([](char* d) { specialized_kernel<int, 3><<<1, 1>>>(reinterpret_cast<int*>(d + 20)); }),
               {" d_special[1]" + end}));
    const std::string words =
        said([](char* d) { two_names_kernel<<<1, 1>>>(reinterpret_cast<int*>(d + 24), 1.0f); });
    CHECK(says(words, {" the byte right past the end of a buffer of 24 bytes"}));
    CHECK(words.find("d_o") == std::string::npos);
}

TEST_CASE("the first and the last byte of an allocation may be used") {
    for (const std::size_t bytes : {1, 100, 255, 256, 257, 4095, 4096, 4097}) {
        const DeviceBuffer<char> data(bytes);
        update_kernel<<<1, 32>>>(data.data());
        update_kernel<<<1, 32>>>(data.data() + bytes - 1);
        CHECK(cudaGetLastError() == cudaSuccess);
    }
}

TEST_CASE("memory that has been freed is found") {
    int *d_data = nullptr, *d_other = nullptr;
    const int line = __LINE__ + 1;
    CUDA_CHECK(cudaMalloc(&d_data, 4000));
    CUDA_CHECK(cudaFree(d_data));
    CUDA_CHECK(cudaMalloc(&d_other, 4000));
    const auto launch = [=] { write_kernel<<<1, 1>>>(d_data, 0, 0); };
    CHECK(says(fault_of(launch, cudaErrorIllegalAddress),
               {"write_kernel", "thread (0, 0, 0)",
                byte_text(0, 4000) + " allocated at " + here(line) + " and freed"}));
}

TEST_CASE("there may be more allocations than the operating system has mappings") {
    constexpr std::size_t kMany = 40000;
    std::vector<int*> cells(kMany);
    for (int*& cell : cells) CUDA_CHECK(cudaMalloc(&cell, sizeof(int)));
    write_kernel<<<1, 1>>>(cells[kMany - 2], 0, 0);
    CHECK(cudaGetLastError() == cudaSuccess);
    if (kSanitized) return skip_check("the sanitizer ends the program before the simulator hears of it");
    write_kernel<<<1, 1>>>(cells[kMany - 2] + 1, 0, 0);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CHECK(says(sim::last_fault(), {"the byte right past the end of a buffer of 4 bytes"}));
    forget_fault();
}

TEST_CASE("a null pointer is called one, also if one of its members is used") {
    for (const std::uintptr_t address : {0, 8}) {
        int* const d_null = reinterpret_cast<int*>(address);
        const auto launch = [=] { write_kernel<<<1, 1>>>(d_null, 0, 0); };
        CHECK(says(fault_of(launch, cudaErrorIllegalAddress),
                   {"write_kernel", "thread (0, 0, 0) at ",
                    address == 0 ? " uses d_data[0]" : " uses address 0x8", " through a null pointer"}));
    }
}

__global__ void two_pointers_kernel(const int* d_from, int* d_to) { *d_to = *d_from; }

TEST_CASE("a null pointer is named if only one parameter is null") {
    const auto fault = [](bool from_null, bool to_null) {
        int* d_cell = nullptr;
        CUDA_CHECK(cudaMalloc(&d_cell, sizeof(int)));
        CUDA_CHECK(cudaMemset(d_cell, 0, sizeof(int)));
        const auto launch = [=] {
            two_pointers_kernel<<<1, 1>>>(from_null ? nullptr : d_cell, to_null ? nullptr : d_cell);
        };
        return fault_of(launch, cudaErrorIllegalAddress);
    };
    CHECK(says(fault(true, false), {" uses d_from[0] through a null pointer"}));
    CHECK(says(fault(false, true), {" uses d_to[0] through a null pointer"}));
    CHECK(says(fault(true, true), {" uses address 0 through a null pointer"}));
}

constexpr int kWideLine = __LINE__ + 2;
__global__ void wide_load_kernel(const uint4* d_from, uint4* d_to) {
    d_to[threadIdx.x] = __ldcs(&d_from[threadIdx.x]);
}

__global__ void wide_copy_kernel(const uint4* d_from, uint4* d_to) {
    d_to[threadIdx.x] = d_from[threadIdx.x];
}

TEST_CASE("a misaligned load with a cache hint is found") {
    const auto launch = [] {
        std::uintptr_t data = 0;  // cudaMalloc leaves it 0 after a fault
        cudaMalloc(reinterpret_cast<void**>(&data), 64);
        wide_load_kernel<<<1, 1>>>(reinterpret_cast<const uint4*>(data + 4),
                                   reinterpret_cast<uint4*>(data + 32));
    };
    CHECK(says(fault_of(launch, cudaErrorMisalignedAddress),
               {"wide_load_kernel", "thread (0, 0, 0) at ", here(kWideLine), "misaligned"}));
}

/// Plain loads. Most CPUs accept any address for these, so all translated code is compiled with checks of
/// addresses.
__global__ void members_kernel(const int4* d_from, int* d_to) { *d_to = d_from->x + d_from->w; }

TEST_CASE("a misaligned 16-byte copy is found") {
    if (kSanitized || kCopiesByMemcpy) return skip_check("the simulator does not hear of it in this build");
    const auto launch = [] {
        unsigned char* d_data = nullptr;
        cudaMalloc(&d_data, 64);
        wide_copy_kernel<<<1, 1>>>(reinterpret_cast<const uint4*>(d_data + 4),
                                   reinterpret_cast<uint4*>(d_data + 32));
    };
    CHECK(says(fault_of(launch, cudaErrorMisalignedAddress),
               {"wide_copy_kernel", "thread (0, 0, 0)", "misaligned"}));
}

TEST_CASE("members of a misaligned int4 are found") {
    if (kSanitized) return skip_check("the sanitizer ends the program before the simulator hears of it");
    const auto launch = [] {
        int* d_data = nullptr;
        cudaMalloc(&d_data, 64);
        members_kernel<<<1, 1>>>(reinterpret_cast<const int4*>(d_data + 1), d_data);
    };
    CHECK(says(fault_of(launch, cudaErrorMisalignedAddress), {"members_kernel", "misaligned"}));
}

}  // namespace fault_checks
