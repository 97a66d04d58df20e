/// @file
/// @brief Checks that images are equalized as OpenCV equalizes them.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "channels.cuh"
#include "images.cuh"

namespace image_checks {

/// OpenCV's results for an image: 256 counts per channel, and what each value becomes (-1: not given).
struct Recorded {
    Bins counts;
    std::vector<int> equalized;
};

std::map<std::string, Recorded> read_recorded() {
    std::ifstream file(kImages + "recorded.csv");
    std::map<std::string, Recorded> images;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        std::string part[5];  // image, channel, value, count, equalized
        for (std::string& text : part) std::getline(fields, text, ',');
        images[part[0]].counts.push_back(std::stoull(part[3]));
        images[part[0]].equalized.push_back(part[4].empty() ? -1 : std::stoi(part[4]));
    }
    return images;
}

template <unsigned int kChannels>
void check_against_opencv(const Image& image, const Recorded& expected) {
    const MovedPixels<kChannels> moved(image.pixels);
    Bins bins;
    for (const auto& variant : kChannelVariants<kChannels>) {
        PreparedVariant<Channels<kChannels>> prepared(variant, image.pixel_count(), {});
        prepared.call(moved.data);
        bins = prepared.results();
        CHECK(verify_one_by_one(bins, expected.counts).value_or("") == "");
    }
    const std::vector<unsigned char> tables = equalizing_tables(bins, false);
    for (std::size_t b = 0; b < tables.size(); ++b) {
        INFO("channel " << b / kBins << ", value " << b % kBins);
        if (expected.equalized[b] >= 0) CHECK(tables[b] == expected.equalized[b]);
        if (b / kBins == 3) CHECK(tables[b] == b % kBins);  // alpha
    }
}

TEST_CASE("images are counted and equalized as OpenCV does it") {
    const std::map<std::string, Recorded> recorded = read_recorded();
    REQUIRE(recorded.size() == 3);
    for (const auto& [name, expected] : recorded) {
        INFO(name);
        const Image image = read_image(kImages + name, kPlenty);
        REQUIRE(image.channels * kBins == expected.counts.size());
        if (image.channels == 1) check_against_opencv<1>(image, expected);
        if (image.channels == 3) check_against_opencv<3>(image, expected);
        if (image.channels == 4) check_against_opencv<4>(image, expected);
    }
}

TEMPLATE_TEST_CASE("each byte is mapped by the table of its channel", "", Channels<1>, Channels<3>,
                   Channels<4>) {
    constexpr unsigned int kChannels = TestType::kResults / kBins;
    const std::vector<unsigned char> tables = big_random_block(kChannels * kBins, 5);
    const MovedPixels<1> d_tables(tables);
    for (const std::size_t n : {0, 1, 2, 31, 256, 257, 100003}) {
        std::vector<unsigned char> pixels = big_random_block(n * kChannels, n + 1);
        const MovedPixels<kChannels> moved(pixels);
        map_channels(moved.data, n, d_tables.data->channel);
        for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = tables[i % kChannels * kBins + pixels[i]];
        CHECK(moved.buffer.to_host() == pixels);
    }
}

TEMPLATE_TEST_CASE("the first and the last of more than 2^32 pixels are mapped", "", Channels<1>, Channels<3>,
                   Channels<4>) {
    if (!is_simulated()) return skip_check("needs the simulator, which can leave out blocks");
    constexpr unsigned int kChannels = TestType::kResults / kBins, kGrid = (1u << 22) + 3;
    constexpr std::size_t kPixels = std::size_t{kGrid} * 1024 - 5;
    const auto pixels = check_detail::zeros_without_room<Pixel<kChannels>>(kPixels);
    const MovedPixels<1> d_tables(std::vector<unsigned char>(kChannels * kBins, 7));
    const check_detail::EndsOnly ends_only;
    map_kernel<kChannels><<<kGrid, 1024>>>(pixels[0].channel, kPixels, d_tables.data->channel);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK(pixels[0].channel[0] == 7);
    CHECK(pixels[kPixels - 1].channel[kChannels - 1] == 7);
    if (kAddressSanitizer) return;
    // 2^32 pixels in unreadable memory cause a fault, unless their number is kept in 32 bits, where it is 0.
    mprotect(pixels.get(), kPixels * sizeof(Pixel<kChannels>), PROT_NONE);
    CHECK_THROWS_AS(map_channels(pixels.get(), std::size_t{1} << 32, d_tables.data->channel), CudaError);
    forget_fault();
}

TEST_CASE("equalizing spreads values from 0 to 255 and leaves one value alone") {
    Bins counts(kBins + 2, 0);
    counts[kBins + 1] = 5;  // past the 256 counts, so it must not matter
    const auto table = [&] { return equalizing_table(counts.data()); };
    CHECK(table()[7] == 7);  // no pixels at all
    counts[7] = 100;
    CHECK(table()[7] == 7);
    counts[8] = 60;
    counts[9] = 40;
    CHECK(table()[7] == 0);
    CHECK(table()[8] == 153);
    CHECK(table()[9] == 255);
    counts[9] = (1ull << 40) - 50;  // a little less than half, which a float can't distinguish
    counts[8] = 1ull << 40;
    CHECK(table()[8] == 128);
}

TEST_CASE("equalizing together keeps grey grey and leaves alpha out") {
    constexpr unsigned long long kMany = 1ull << 40;
    Bins bins(4 * kBins, 0);
    bins[0] = 3 * kMany;               // red
    bins[kBins + 20] = 4 * kMany;      // green
    bins[2 * kBins + 30] = 1 * kMany;  // blue
    bins[3 * kBins + 40] = 5 * kMany;  // alpha
    for (const unsigned int channels : {4u, 3u}) {
        bins.resize(channels * kBins);
        const std::vector<unsigned char> tables = equalizing_tables(bins, true);
        for (unsigned int v = 0; v < kBins; ++v) {
            CHECK(tables[v] == tables[kBins + v]);
            CHECK(tables[v] == tables[2 * kBins + v]);
        }
        CHECK(tables[20] == 204);
        CHECK(tables[30] == 255);
    }
    bins = {bins.begin() + kBins, bins.begin() + 2 * kBins};
    bins[40] = 1;
    CHECK(equalizing_tables(bins, true) == equalizing_tables(bins, false));
}

TEST_CASE("channels have the names of their colours") {
    CHECK(channel_name(1, 0) == std::string("grey"));
    CHECK(channel_name(3, 0) == std::string("red"));
    CHECK(channel_name(4, 3) == std::string("alpha"));
}

}  // namespace image_checks
