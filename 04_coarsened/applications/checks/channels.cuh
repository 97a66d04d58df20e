/// @file
/// @brief Checks that channels are counted right, and that broken kernels are found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../../common/checks/catch.hpp"
#include "../../../common/checks/check_variant.cuh"
#include "../../../common/checks/counts_past_32_bits.cuh"
#include "../../../common/checks/far_elements.cuh"
#include "../broken/first_byte_is_red.cuh"
#include "../broken/one_channel_cleared.cuh"
#include "../channels.cuh"

namespace image_checks {

/// An image's pixels in device memory, `offset` bytes past an aligned address.
template <unsigned int kChannels>
struct MovedPixels {
    MovedPixels(const std::vector<unsigned char>& bytes, std::size_t offset = 0)
        : buffer(offset + bytes.size()) {
        data = reinterpret_cast<Pixel<kChannels>*>(buffer.data() + offset);
        if (!bytes.empty())
            CUDA_CHECK(
                cudaMemcpy(buffer.data() + offset, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    }
    DeviceBuffer<unsigned char> buffer;
    Pixel<kChannels>* data;
};

using Kernel = void(const unsigned char*, std::size_t, unsigned long long*);

/// A variant that launches a broken kernel for three channels.
template <Kernel* kKernel>
Variant<Channels<3>> broken() {
    return {.name = "broken",
            .run = [](const Pixel<3>* d_pixels, std::size_t n, unsigned long long* d_bins,
                      unsigned long long*, LaunchShape shape) {
                CUDA_CHECK(cudaMemset(d_bins, 0, 3 * kBins * sizeof(*d_bins)));
                if (n == 0) return;
                kKernel<<<shape.grid_or(7), shape.block_or(kBlock)>>>(d_pixels->channel, n, d_bins);
                CUDA_CHECK(cudaGetLastError());
            }};
}

/// Checks a variant in every size, input, launch shape and alignment that matters: a pixel may begin at any
/// byte. @return A description of the first error; nothing if there is none.
template <unsigned int kChannels>
std::optional<std::string> check_channels(const Variant<Channels<kChannels>>& variant) {
    std::vector<Case> cases;
    for (const std::size_t n : {0, 1, 5, 31, 33, 255, 257, 32769, 400009})
        for (const char* input : {"uniform", "constant", "bank-attack"}) cases.push_back({n, input});
    for (const unsigned int block : {1, 2, 32, 33, 1000, 1024})
        for (const unsigned int grid : {1, 2, 7}) cases.push_back({5003, "skewed", 1, {grid, block}});
    for (Case& c : cases) {
        c.calls = 1;
        if (const auto wrong = check_case(variant, c)) return wrong;
    }
    const auto pixels = Channels<kChannels>::inputs()[0].make(1001, 1);
    const auto* const first = reinterpret_cast<const unsigned char*>(pixels.data());
    const std::vector<unsigned char> bytes(first, first + kChannels * pixels.size());
    for (std::size_t offset = 0; offset < 16; ++offset)
        for (const std::size_t n : {1, 5, 6, 16, 17, 1001}) {
            const MovedPixels<kChannels> moved({bytes.begin(), bytes.begin() + n * kChannels}, offset);
            PreparedVariant<Channels<kChannels>> prepared(variant, n, {0, 64});
            prepared.call(moved.data);
            const Bins expected = Channels<kChannels>::reference(pixels.data(), n);
            if (const auto wrong = verify_one_by_one(prepared.results(), expected))
                return std::to_string(n) + " pixels, " + std::to_string(offset) + " bytes on: " + *wrong;
        }
    return check_launch_error(variant);
}

TEST_CASE("channels are counted right for every n, input, alignment and launch shape") {
    for (const auto& variant : kChannelVariants<1>) CHECK(check_channels(variant).value_or("") == "");
    for (const auto& variant : kChannelVariants<3>) CHECK(check_channels(variant).value_or("") == "");
    for (const auto& variant : kChannelVariants<4>) CHECK(check_channels(variant).value_or("") == "");
    // The fallback for a device whose blocks can't have enough shared memory to avoid all bank conflicts.
    CHECK(check_channels<1>({.name = "8", .run = histogram_channel_copies<1, 8>}).value_or("") == "");
    CHECK(check_channels<3>({.name = "8", .run = histogram_channel_copies<3, 8>}).value_or("") == "");
}

TEST_CASE("counts of channels pass 2^32") {
    constexpr unsigned long long kStart = 0xffffffffull;
    const std::vector<unsigned char> bytes = big_random_block(3 * 100003, 3);
    Bins expected(3 * kBins, kStart);
    for (std::size_t i = 0; i < bytes.size(); ++i) ++expected[i % 3 * kBins + bytes[i]];
    const MovedPixels<3> pixels(bytes);
    const DeviceBuffer<unsigned long long> d_bins(3 * kBins);
    const auto check = [&](Kernel* kernel, std::size_t shared_bytes) {
        CUDA_CHECK(cudaMemcpy(d_bins.data(), Bins(3 * kBins, kStart).data(), d_bins.bytes(),
                              cudaMemcpyHostToDevice));
        kernel<<<7, kBlock, shared_bytes>>>(pixels.data->channel, bytes.size() / 3, d_bins.data());
        CUDA_CHECK(cudaGetLastError());
        return verify_one_by_one(d_bins.to_host(), expected).value_or("");
    };
    CHECK(check(pixel_kernel<3>, 0) == "");
    CHECK(check(channel_copies_kernel<3, 8>, kBins * 3 * 8 * sizeof(unsigned int)) == "");
    CHECK(counts_to_32_bits(kChannelVariants<3>[0], 2048));
    CHECK(counts_to_32_bits(kChannelVariants<3>[1], 2048 * 3 * sizeof(uint4)));
}

TEMPLATE_TEST_CASE("the first and the last of more than 2^32 pixels are counted", "", Channels<1>,
                   Channels<3>, Channels<4>) {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    for (const auto& variant : kChannelVariants<TestType::kResults / kBins>)
        CHECK(check_far_elements(variant).value_or("") == "");
}

TEMPLATE_TEST_CASE("more than 2^32 pixels are counted right", "", Channels<1>, Channels<3>, Channels<4>) {
    if (!has_room_for<TestType>(kLargeSizes[0])) return skip_check("needs a GPU with 10 GiB of free memory");
    for (const auto& variant : kChannelVariants<TestType::kResults / kBins>)
        CHECK(check_large(variant).value_or("") == "");
}

TEST_CASE("vectors that all begin with red are found") {
    CHECK(check_channels(broken<first_byte_is_red::kernel>()));
}

TEST_CASE("channels that are not cleared are found") {
    CHECK(check_channels(broken<one_channel_cleared::kernel>()));
}

}  // namespace image_checks
