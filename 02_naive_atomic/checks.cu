/// @file
/// @brief Checks of chapter 02.
#include <algorithm>

#include "../common/checks/catch.hpp"
#include "../common/checks/check_variant.cuh"
#include "../common/checks/counts_past_32_bits.cuh"
#include "../common/checks/far_elements.cuh"
#include "counter_types.cuh"
#include "kernels.cuh"

namespace {

/// The variant that is wrong on purpose.
const Variant<Histogram>& racy() {
    return *std::find_if(kVariants.begin(), kVariants.end(),
                         [](const Variant<Histogram>& variant) { return variant.wrong_because != nullptr; });
}

}  // namespace

TEST_CASE("every variant is right for every n, input, alignment and launch shape") {
    for (const Variant<Histogram>& variant : kVariants)
        if (variant.wrong_because == nullptr) CHECK(check_variant(variant).value_or("") == "");
}

TEST_CASE("the racy kernel is right as long as no two threads add to one bin") {
    // In sorted input of up to 256 bytes, no two bytes are equal.
    for (const std::size_t n : {0, 1, 31, 32, 33, 255, 256})
        for (const unsigned int block : {0, 32})
            CHECK(check_case(racy(), {n, "sorted", 0, {.block = block}, 1}).value_or("") == "");
}

TEST_CASE("the racy kernel loses counts where they do", "[race]") {
    for (const char* const input : {"constant", "uniform"}) {
        const std::string wrong = check_case(racy(), {100003, input}).value_or("nothing");
        CHECK(wrong.find(": expected ") != std::string::npos);  // a wrong count, not some other failure
    }
}

TEST_CASE("bins count past 2^32") {
    using Kernel = void (*)(const unsigned char*, std::size_t, unsigned long long*);
    for (const Kernel kernel : {one_per_element_kernel, grid_stride_kernel, cas_kernel}) {
        const auto add = [kernel](const unsigned char* d_data, std::size_t n, unsigned long long* d_bins) {
            kernel<<<blocks_for(n, kBlock), kBlock>>>(d_data, n, d_bins);
        };
        CHECK(check_counts_past_32_bits(kBins, add).value_or("") == "");
    }
}

TEST_CASE("more than 2^32 bytes are counted right") {
    if (!has_room_for<Histogram>(kLargeSizes[0])) return skip_check("needs a GPU with 3 GiB of free memory");
    for (const Variant<Histogram>& variant : kVariants) {
        const std::string name = variant.name;
        if (name != "one per element" && name != "grid-stride") continue;
        CHECK(check_large(variant).value_or("") == "");
    }
}

TEST_CASE("the first and the last of more than 2^32 bytes are used") {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    for (const Variant<Histogram>& variant : kVariants) CHECK(check_far_elements(variant).value_or("") == "");
}

namespace {

/// Stores what each of many concurrent additions returned.
template <typename Add>
__global__ void answers_kernel(unsigned long long* d_cell, unsigned long long* d_answers, Add add) {
    d_answers[blockIdx.x * blockDim.x + threadIdx.x] = add(d_cell);
}

constexpr unsigned long long kStep = (1ull << 32) + 3;  // more than 32 bits can hold

struct AddByCas {
    __device__ unsigned long long operator()(unsigned long long* cell) const {
        return atomic_add_by_cas(cell, kStep);
    }
};
struct AddByHardware {
    __device__ unsigned long long operator()(unsigned long long* cell) const {
        return atomicAdd(cell, kStep);
    }
};

template <typename Add>
std::vector<unsigned long long> sorted_answers(Add add) {
    const DeviceBuffer<unsigned long long> d_cell(1), d_answers(64 * 256);
    CUDA_CHECK(cudaMemset(d_cell.data(), 0, d_cell.bytes()));
    answers_kernel<<<64, 256>>>(d_cell.data(), d_answers.data(), add);
    CUDA_CHECK(cudaGetLastError());
    std::vector<unsigned long long> answers = d_answers.to_host();
    std::sort(answers.begin(), answers.end());
    answers.push_back(d_cell.to_host()[0]);
    return answers;
}

}  // namespace

TEST_CASE("atomicAdd by CAS is atomicAdd: each addition sees a different old value") {
    const std::vector<unsigned long long> answers = sorted_answers(AddByCas());
    for (std::size_t k = 0; k < answers.size(); ++k) REQUIRE(answers[k] == kStep * k);
    CHECK(answers == sorted_answers(AddByHardware()));
}

TEST_CASE("float counters stop at 2^24, where adding one changes nothing") {
    constexpr std::size_t n = (1u << 24) + 1000;
    const DeviceBuffer<unsigned char> d_data(n);
    CUDA_CHECK(cudaMemset(d_data.data(), 7, n));
    const DeviceBuffer<float> d_floats(kBins);
    histogram_typed(d_data.data(), n, d_floats.data(), {});
    CHECK(d_floats.to_host()[7] == 1u << 24);
    const DeviceBuffer<double> d_doubles(kBins);
    histogram_typed(d_data.data(), n, d_doubles.data(), {});
    CHECK(d_doubles.to_host()[7] == n);
}

TEST_CASE("every type of counters counts right within its limit, and says when it is past it") {
    const Device device = init_cuda();
    Options options;
    options.rounds = 1;
    const auto verdicts = [&](const std::vector<unsigned char>& data) {
        const DeviceBuffer<unsigned char> d_data(data.size());
        if (!data.empty())
            CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), data.size(), cudaMemcpyHostToDevice));
        return print_counter_types("02_naive_atomic", d_data.data(), data, options, device);
    };
    CHECK(verdicts({}) == 0);
    CHECK(verdicts(big_random_block(100003, 1)) == 0);
}
