/// @file
/// @brief Checks of chapter 04's applications: channels, equalizing, image files.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "../../common/checks/catch.hpp"
#include "../../common/checks/check_histogram.cuh"
#include "broken/first_byte_is_red.cuh"
#include "broken/one_channel_cleared.cuh"
#include "channels.cuh"
#include "image.hpp"

namespace {

const std::string kImages = "04_coarsened/applications/images/";

Bins reference_channels(const std::vector<unsigned char>& pixels, unsigned int channels) {
    Bins bins(channels * kBins, 0);
    for (std::size_t i = 0; i < pixels.size(); ++i) ++bins[i % channels * kBins + pixels[i]];
    return bins;
}

/// Runs a variant on dirty bins, in one situation; `c.n` counts pixels.
std::optional<std::string> check_channels_case(const ChannelVariant& variant, unsigned int channels,
                                               const HistogramCase& c) {
    using namespace check_detail;
    const std::vector<unsigned char> pixels = case_data({c.n * channels, c.input});
    const DeviceBuffer<unsigned char> d_pixels(c.offset + pixels.size());
    const DeviceBuffer<unsigned long long> d_bins(channels * kBins + kFence);
    if (c.n > 0)
        CUDA_CHECK(
            cudaMemcpy(d_pixels.data() + c.offset, pixels.data(), pixels.size(), cudaMemcpyHostToDevice));
    const Bins dirty(d_bins.size(), kDirty);
    CUDA_CHECK(cudaMemcpy(d_bins.data(), dirty.data(), d_bins.bytes(), cudaMemcpyHostToDevice));
    variant.run(d_pixels.data() + c.offset, c.n, d_bins.data(), c.shape);
    if (const auto wrong = compare(d_bins.to_host(), reference_channels(pixels, channels)))
        return std::string(variant.name) + ", " + std::to_string(channels) + " channels, " + describe(c) +
               ": " + *wrong;
    return std::nullopt;
}

/// Every size, input, alignment and launch shape that tells.
std::optional<std::string> check_channels(const ChannelVariant& variant, unsigned int channels) {
    std::vector<HistogramCase> cases;
    for (const std::size_t n : {0, 1, 5, 31, 33, 255, 257, 32769, 400009})
        for (const char* input : {"uniform", "constant", "bank-attack"}) cases.push_back({n, input});
    for (std::size_t offset = 0; offset < 16; ++offset)
        for (const std::size_t n : {1, 5, 6, 16, 17, 1001}) cases.push_back({n, "uniform", offset, {0, 64}});
    for (const unsigned int block : {1, 2, 32, 33, 1000, 1024})
        for (const unsigned int grid : {1, 2, 7}) cases.push_back({5003, "skewed", 3, {grid, block}});
    for (const HistogramCase& c : cases)
        if (const auto wrong = check_channels_case(variant, channels, c)) return wrong;
    return std::nullopt;
}

using Kernel = void(const unsigned char*, std::size_t, unsigned long long*);

/// A variant that launches a broken kernel for three channels.
template <Kernel* kKernel>
ChannelVariant broken() {
    return {"broken", "",
            [](const unsigned char* d_pixels, std::size_t n, unsigned long long* d_bins, LaunchShape shape) {
                CUDA_CHECK(cudaMemset(d_bins, 0, 3 * kBins * sizeof(*d_bins)));
                if (n == 0) return;
                kKernel<<<shape.grid_or(7), shape.block_or(kBlock)>>>(d_pixels, n, d_bins);
                CUDA_CHECK(cudaGetLastError());
            }};
}

/// What OpenCV says of an image: `channel × 256` counts, and what each value becomes (-1: nothing said).
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
        std::string image, channel, value, count, equalized;
        std::getline(fields, image, ',');
        std::getline(fields, channel, ',');
        std::getline(fields, value, ',');
        std::getline(fields, count, ',');
        std::getline(fields, equalized, ',');
        images[image].counts.push_back(std::stoull(count));
        images[image].equalized.push_back(equalized.empty() ? -1 : std::stoi(equalized));
    }
    return images;
}

DeviceBuffer<unsigned char> on_device(const std::vector<unsigned char>& bytes) {
    DeviceBuffer<unsigned char> d_bytes(bytes.size());
    if (!bytes.empty())
        CUDA_CHECK(cudaMemcpy(d_bytes.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    return d_bytes;
}

void write_file(const std::string& path, const std::vector<unsigned char>& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// A file's name in a folder for such, of its own for each process.
std::string scratch(const std::string& name) {
    const char* const folder = std::getenv("TMPDIR");
    return std::string(folder != nullptr ? folder : "/tmp") + "/course-" + std::to_string(getpid()) + "-" +
           name;
}

constexpr std::size_t kPlenty = std::size_t{1} << 30;

}  // namespace

TEST_CASE("channels are counted right for every n, input, alignment and launch shape") {
    for (const unsigned int channels : {1u, 3u, 4u})
        for (const ChannelVariant& variant : channel_variants(channels))
            CHECK(check_channels(variant, channels).value_or("") == "");
    // Where a block can't have the shared memory for copies that never conflict.
    CHECK(check_channels({"8 copies", "", histogram_channel_copies<1, 8>}, 1).value_or("") == "");
    CHECK(check_channels({"8 copies", "", histogram_channel_copies<3, 8>}, 3).value_or("") == "");
    CHECK_THROWS_AS(channel_variants(2), std::invalid_argument);
}

TEST_CASE("counts of channels pass 2^32") {
    constexpr unsigned long long kStart = 0xffffffffull;
    const std::vector<unsigned char> pixels = big_random_block(3 * 100003, 3);
    Bins expected = reference_channels(pixels, 3);
    for (unsigned long long& count : expected) count += kStart;
    const DeviceBuffer<unsigned char> d_pixels = on_device(pixels);
    const DeviceBuffer<unsigned long long> d_bins(3 * kBins);
    const auto check = [&](Kernel* kernel, std::size_t shared_bytes) {
        CUDA_CHECK(cudaMemcpy(d_bins.data(), Bins(3 * kBins, kStart).data(), d_bins.bytes(),
                              cudaMemcpyHostToDevice));
        kernel<<<7, kBlock, shared_bytes>>>(d_pixels.data(), pixels.size() / 3, d_bins.data());
        CUDA_CHECK(cudaGetLastError());
        return verify_bin_by_bin(d_bins.to_host(), expected).value_or("");
    };
    CHECK(check(pixel_kernel<3>, 0) == "");
    CHECK(check(channel_copies_kernel<3, 8>, kBins * 3 * 8 * sizeof(unsigned int)) == "");
    for (const ChannelVariant& variant : channel_variants(3))
        CHECK_THROWS_AS(variant.run(d_pixels.data(), std::size_t{1} << 33, d_bins.data(), {1, 256}),
                        std::invalid_argument);
}

TEST_CASE("channels of more than 2^32 bytes are counted right") {
    if (!can_check_large()) return skip_check("needs a GPU with 6 GiB of free memory");
    for (const unsigned int channels : {1u, 3u, 4u}) {
        const std::size_t n = (std::size_t{1} << 32) / channels + 3;
        const DeviceBuffer<unsigned char> d_pixels(n * channels);
        const DeviceBuffer<unsigned long long> d_bins(channels * kBins);
        CUDA_CHECK(cudaMemset(d_pixels.data(), 7, d_pixels.bytes()));
        CUDA_CHECK(cudaMemset(d_pixels.data() + (n - 2) * channels, 9, 2 * channels));
        Bins expected(d_bins.size(), 0);
        for (unsigned int c = 0; c < channels; ++c) {
            expected[c * kBins + 7] = n - 2;
            expected[c * kBins + 9] = 2;
        }
        for (const ChannelVariant& variant : channel_variants(channels)) {
            variant.run(d_pixels.data(), n, d_bins.data(), {});
            CHECK(verify_bin_by_bin(d_bins.to_host(), expected).value_or("") == "");
        }
    }
}

TEST_CASE("images count and equalize as OpenCV has it") {
    const std::map<std::string, Recorded> recorded = read_recorded();
    REQUIRE(recorded.size() == 3);
    for (const auto& [name, expected] : recorded) {
        INFO(name);
        const Image image = read_image(kImages + name, kPlenty);
        REQUIRE(image.channels * kBins == expected.counts.size());
        const DeviceBuffer<unsigned char> d_pixels = on_device(image.pixels);
        const DeviceBuffer<unsigned long long> d_bins(expected.counts.size());
        for (const ChannelVariant& variant : channel_variants(image.channels)) {
            variant.run(d_pixels.data(), image.pixel_count(), d_bins.data(), {});
            CHECK(verify_bin_by_bin(d_bins.to_host(), expected.counts).value_or("") == "");
        }
        const std::vector<unsigned char> tables = equalizing_tables(d_bins.to_host(), false);
        for (std::size_t b = 0; b < tables.size(); ++b) {
            INFO("channel " << b / kBins << ", value " << b % kBins);
            if (expected.equalized[b] >= 0) CHECK(tables[b] == expected.equalized[b]);
            if (is_alpha(static_cast<unsigned int>(b / kBins))) CHECK(tables[b] == b % kBins);
        }
    }
}

TEST_CASE("each byte is mapped by the table of its channel") {
    const std::vector<unsigned char> tables = big_random_block(4 * kBins, 5);
    const DeviceBuffer<unsigned char> d_tables = on_device(tables);
    for (const unsigned int channels : {1u, 3u, 4u})
        for (const std::size_t n : {0, 1, 2, 31, 257, 100003}) {
            std::vector<unsigned char> pixels = big_random_block(n * channels, n + 1);
            const DeviceBuffer<unsigned char> d_pixels = on_device(pixels);
            map_channels(d_pixels.data(), n, channels, d_tables.data());
            for (std::size_t i = 0; i < pixels.size(); ++i)
                pixels[i] = tables[i % channels * kBins + pixels[i]];
            CHECK(d_pixels.to_host() == pixels);
        }
}

TEST_CASE("equalizing spreads values from 0 to 255 and leaves one value alone") {
    Bins counts(kBins, 0);
    const auto table = [&] { return equalizing_table(counts.data()); };
    CHECK(table()[7] == 7);  // no pixels at all
    counts[7] = 100;
    CHECK(table()[7] == 7);
    counts[8] = 60;
    counts[9] = 40;
    CHECK(table()[7] == 0);
    CHECK(table()[8] == 153);
    CHECK(table()[9] == 255);
    counts[9] = (1ull << 40) - 50;  // a little less than half, which a float can't tell
    counts[8] = 1ull << 40;
    CHECK(table()[8] == 128);
}

TEST_CASE("equalizing together keeps grey grey") {
    Bins bins(3 * kBins, 0);
    bins[10] = 3;              // red
    bins[kBins + 20] = 4;      // green
    bins[2 * kBins + 30] = 1;  // blue
    const std::vector<unsigned char> tables = equalizing_tables(bins, true);
    for (unsigned int v = 0; v < kBins; ++v) {
        CHECK(tables[v] == tables[kBins + v]);
        CHECK(tables[v] == tables[2 * kBins + v]);
    }
    CHECK(tables[20] == 204);
    CHECK(tables[30] == 255);
}

TEST_CASE("an image that is written is read again as it was") {
    for (const unsigned int channels : {1u, 3u, 4u}) {
        const Image image{31, 7, channels, big_random_block(31 * 7 * channels, channels)};
        const std::string png = scratch("image.png");
        write_image(png, image);
        const Image again = read_image(png, kPlenty);
        CHECK(again.width == 31);
        CHECK(again.height == 7);
        CHECK(again.channels == channels);
        CHECK(again.pixels == image.pixels);
        CHECK_THROWS_AS(read_image(png, 31 * 7 * channels - 1), std::invalid_argument);
        std::remove(png.c_str());

        const std::string jpg = scratch("image.JPG");
        write_image(jpg, {31, 7, channels, std::vector<unsigned char>(31 * 7 * channels, 100)});
        const Image grey = read_image(jpg, kPlenty);
        CHECK(grey.channels == (channels == 1 ? 1 : 3));
        CHECK(grey.pixels == std::vector<unsigned char>(31 * 7 * grey.channels, 100));
        std::remove(jpg.c_str());
    }
    CHECK_THROWS_AS(write_image("/nowhere/image.png", {1, 1, 1, {0}}), std::runtime_error);
    CHECK(image_format("photo.JPEG") == "jpg");
    CHECK(image_format("photo") == "");
}

TEST_CASE("an image that is too large for the memory is refused before there is any for it") {
    // The file is small, since all pixels are alike.
    const std::string path = scratch("large.png");
    write_image(path, {1000, 1000, 3, std::vector<unsigned char>(3000000, 7)});
    CHECK(read_image(path, 3000000).pixel_count() == 1000000);
    std::string refusal;
    try {
        read_image(path, 2999999);
    } catch (const std::invalid_argument& error) {
        refusal = error.what();
    }
    CHECK(refusal.find("1000 x 1000 pixels") != std::string::npos);
    std::remove(path.c_str());
}

TEST_CASE("a damaged image is refused or read, and breaks nothing") {
    std::mt19937 random(1);
    const std::string path = scratch("damaged");
    for (const char* name : {"cat.jpg", "cat-grey.png", "cat-alpha.png"}) {
        const std::vector<unsigned char> whole = read_file(kImages + name, kPlenty);
        unsigned int refused = 0;
        for (unsigned int trial = 0; trial < 200; ++trial) {
            std::vector<unsigned char> damaged = whole;
            // Headers decide most, and lie at the start.
            const std::size_t reach = trial % 2 == 0 ? 700 : whole.size();
            for (unsigned int k = 0; k <= trial % 5; ++k)
                damaged[random() % reach] = static_cast<unsigned char>(random());
            if (trial % 7 == 0) damaged.resize(random() % whole.size());
            write_file(path, damaged);
            try {
                const Image image = read_image(path, std::size_t{1} << 26);
                CHECK(image.pixels.size() == image.pixel_count() * image.channels);
            } catch (const std::invalid_argument& error) {
                CHECK(std::string(error.what()).find('\n') == std::string::npos);
                ++refused;
            }
        }
        CHECK(refused > 50);
    }
    std::remove(path.c_str());
}

TEST_CASE("vectors that all begin with red are found") {
    CHECK(check_channels(broken<first_byte_is_red::kernel>(), 3));
}

TEST_CASE("channels that are not cleared are found") {
    CHECK(check_channels(broken<one_channel_cleared::kernel>(), 3));
}
