/// @file
/// @brief Checks of chapter 04's applications: channels, equalizing, image files.
#include <sys/resource.h>

#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "../../common/checks/catch.hpp"
#include "../../common/checks/check_variant.cuh"
#include "../../common/checks/counts_past_32_bits.cuh"
#include "../../common/checks/far_elements.cuh"
#include "../../common/checks/folder.hpp"
#include "broken/first_byte_is_red.cuh"
#include "broken/one_channel_cleared.cuh"
#include "channels.cuh"
#include "image.hpp"

namespace {

const std::string kImages = "04_coarsened/applications/images/";

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

/// OpenCV's results for an image: `channel × 256` counts, and what each value becomes (-1: not given).
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

constexpr std::size_t kPlenty = std::size_t{1} << 30;

/// Every size, input, launch shape and alignment that matters. A pixel may begin at any byte.
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
            Runner<Channels<kChannels>> runner(variant, n, {0, 64});
            runner.run(moved.data);
            const Bins expected = Channels<kChannels>::reference(pixels.data(), n);
            if (const auto wrong = verify_one_by_one(runner.results(), expected))
                return std::to_string(n) + " pixels, " + std::to_string(offset) + " bytes on: " + *wrong;
        }
    return check_launch_error(variant);
}

}  // namespace

TEST_CASE("channels are counted right for every n, input, alignment and launch shape") {
    for (const auto& variant : kChannelVariants<1>) CHECK(check_channels(variant).value_or("") == "");
    for (const auto& variant : kChannelVariants<3>) CHECK(check_channels(variant).value_or("") == "");
    for (const auto& variant : kChannelVariants<4>) CHECK(check_channels(variant).value_or("") == "");
    // For a device whose blocks can't have enough shared memory to avoid all conflicts.
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
    if (!init_cuda().simulated) return skip_check("needs the simulator, which can leave out blocks");
    for (const auto& variant : kChannelVariants<TestType::kResults / kBins>)
        CHECK(check_far_elements(variant).value_or("") == "");
}

TEMPLATE_TEST_CASE("more than 2^32 pixels are counted right", "", Channels<1>, Channels<3>, Channels<4>) {
    if (!has_room_for<TestType>(kLargeSizes[0])) return skip_check("needs a GPU with 10 GiB of free memory");
    for (const auto& variant : kChannelVariants<TestType::kResults / kBins>)
        CHECK(check_large(variant).value_or("") == "");
}

namespace {

template <unsigned int kChannels>
void check_against_opencv(const Image& image, const Recorded& expected) {
    const MovedPixels<kChannels> moved(image.pixels);
    Bins bins;
    for (const auto& variant : kChannelVariants<kChannels>) {
        Runner<Channels<kChannels>> runner(variant, image.pixel_count(), {});
        runner.run(moved.data);
        bins = runner.results();
        CHECK(verify_one_by_one(bins, expected.counts).value_or("") == "");
    }
    const std::vector<unsigned char> tables = equalizing_tables(bins, false);
    for (std::size_t b = 0; b < tables.size(); ++b) {
        INFO("channel " << b / kBins << ", value " << b % kBins);
        if (expected.equalized[b] >= 0) CHECK(tables[b] == expected.equalized[b]);
        if (b / kBins == 3) CHECK(tables[b] == b % kBins);  // alpha
    }
}

}  // namespace

TEST_CASE("images count and equalize as OpenCV has it") {
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
    if (!init_cuda().simulated) return skip_check("needs the simulator, which can leave out blocks");
    constexpr unsigned int kChannels = TestType::kResults / kBins, kGrid = (1u << 22) + 3;
    constexpr std::size_t kPixels = std::size_t{kGrid} * 1024 - 5;
    const auto pixels = check_detail::zeros_without_room<Pixel<kChannels>>(kPixels);
    const MovedPixels<1> d_tables(std::vector<unsigned char>(kChannels * kBins, 7));
    const check_detail::EndsOnly ends_only;
    map_kernel<kChannels><<<kGrid, 1024>>>(pixels[0].channel, kPixels, d_tables.data->channel);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK(pixels[0].channel[0] == 7);
    CHECK(pixels[kPixels - 1].channel[kChannels - 1] == 7);
}

TEST_CASE("equalizing spreads values from 0 to 255 and leaves one value alone") {
    Bins counts(kBins + 2, 0);
    counts[kBins + 1] = 5;  // not one of the 256
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

TEST_CASE("an image that is written is read again as it was") {
    const Folder folder;
    for (const unsigned int channels : {1u, 3u, 4u}) {
        const Image image{31, 7, channels, big_random_block(31 * 7 * channels, channels)};
        const std::string png = folder / "image.png", jpg = folder / "image.JPG";
        write_image(png, image);
        const Image again = read_image(png, kPlenty);
        CHECK(again.width == 31);
        CHECK(again.height == 7);
        CHECK(again.channels == channels);
        CHECK(again.pixels == image.pixels);
        CHECK_THROWS_AS(read_image(png, 31 * 7 * channels - 1), std::invalid_argument);

        write_image(jpg, {31, 7, channels, std::vector<unsigned char>(31 * 7 * channels, 100)});
        const Image grey = read_image(jpg, kPlenty);
        CHECK(grey.channels == (channels == 1 ? 1 : 3));
        CHECK(grey.pixels == std::vector<unsigned char>(31 * 7 * grey.channels, 100));
    }
    CHECK_THROWS_AS(write_image("/nowhere/image.png", {1, 1, 1, {0}}), std::runtime_error);
    CHECK(image_format("photo.JPEG") == "jpg");
    CHECK(image_format("photo") == "");
}

TEST_CASE("an image that is too large for the memory is refused before there is any for it") {
    // The file is small, because all pixels are the same.
    const Folder folder;
    const std::string path = folder / "large.png";
    write_image(path, {1000, 1000, 3, std::vector<unsigned char>(3000000, 7)});
    CHECK(read_image(path, 3000000).pixel_count() == 1000000);
    const std::string refusal = thrown_by([&] { read_image(path, 2999999); });
    CHECK(refusal.find("1000 x 1000 pixels") != std::string::npos);
}

namespace {

/// A whole number in `size` bytes.
std::string number_in(std::size_t size, std::size_t number, bool little_endian) {
    std::string bytes;
    for (std::size_t k = 0; k < size; ++k)
        bytes += static_cast<char>(number >> 8 * (little_endian ? k : size - 1 - k));
    return bytes;
}

/// Exif data with two entries: a width, and an orientation.
std::string exif(unsigned int orientation, bool little_endian) {
    const auto number = [&](std::size_t size, std::size_t value) {
        return number_in(size, value, little_endian);
    };
    const auto entry = [&](unsigned int tag, unsigned int value) {
        return number(2, tag) + number(2, 3) + number(4, 1) + number(2, value) + number(2, 0);
    };
    return (little_endian ? "II" : "MM") + number(2, 42) + number(4, 8) + number(2, 2) + entry(0x0100, 6) +
           entry(0x0112, orientation) + number(4, 0);
}

/// A PNG file with a chunk before its pixels; `length` is the length that the chunk claims.
std::vector<unsigned char> with_chunk(std::vector<unsigned char> png, const std::string& name,
                                      const std::string& data, std::size_t length) {
    const std::string chunk = number_in(4, length, false) + name + data + "\1\2\3\4";
    constexpr std::size_t kHeader = 33;
    png.insert(png.begin() + kHeader, chunk.begin(), chunk.end());
    return png;
}

/// A JPEG file with Exif data, after a segment of another program.
std::vector<unsigned char> with_exif(std::vector<unsigned char> jpeg, const std::string& exif) {
    const std::string segments = "\xFF\xE1" + number_in(2, 7, false) + "http:\xFF\xFF\xE1" +
                                 number_in(2, 8 + exif.size(), false) + std::string("Exif\0\0", 6) + exif;
    jpeg.insert(jpeg.begin() + 2, segments.begin(), segments.end());
    return jpeg;
}

/// An image of blocks, 8 x 8 pixels each and 40 levels apart, as one letter per block, row after row.
std::string letters(const Image& image) {
    std::string letters;
    for (std::size_t y = 4; y < image.height; y += 8)
        for (std::size_t x = 4; x < image.width; x += 8)
            letters += static_cast<char>('A' + (image.pixels[y * image.width + x] + 20) / 40);
    return letters;
}

}  // namespace

TEST_CASE("an image is read as it is to be seen, whatever its Exif orientation") {
    Image image{16, 24, 1, {}};
    for (unsigned int y = 0; y < 24; ++y)
        for (unsigned int x = 0; x < 16; ++x)
            image.pixels.push_back(static_cast<unsigned char>(40 * (y / 8 * 2 + x / 8)));
    const std::vector<unsigned char> png = image_detail::encode_png(image),
                                     jpeg = image_detail::encode_jpeg(image);
    const char* const seen[] = {"ABCDEF", "ABCDEF", "BADCFE", "FEDCBA", "EFCDAB",
                                "ACEBDF", "ECAFDB", "FDBECA", "BDFACE", "ABCDEF"};
    for (unsigned int orientation = 0; orientation < 10; ++orientation) {
        for (const bool little_endian : {true, false}) {
            const std::string data = exif(orientation, little_endian);
            for (const auto& file : {with_chunk(png, "eXIf", data, data.size()), with_exif(jpeg, data)}) {
                const Image read = decode_image(file, kPlenty);
                CHECK(letters(read) == seen[orientation]);
                CHECK(read.width == (orientation > 4 && orientation < 9 ? 24 : 16));
            }
            for (std::size_t size = 0; size < data.size() - 8; ++size)  // damaged data: as it is stored
                CHECK(letters(decode_image(with_exif(jpeg, data.substr(0, size)), kPlenty)) == "ABCDEF");
        }
    }
}

TEST_CASE("what a PNG image says besides its pixels takes no memory") {
    const std::vector<unsigned char> png = image_detail::encode_png({1, 1, 1, {7}});
    const auto peak = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;  // in KiB
    };
    const auto before = peak();
    for (const char* name : {"iTXt", "zTXt", "tEXt", "sPLT", "eXIf", "iCCP", "IDAT", "xxXx"})
        CHECK_THROWS_AS(decode_image(with_chunk(png, name, "", 0x7fffffff), kPlenty), std::invalid_argument);
    CHECK(peak() - before < 100 << 10);
    for (const char* name : {"iTXt", "zTXt", "tEXt", "sPLT", "eXIf", "xxXx"}) {
        std::vector<unsigned char> file = with_chunk(png, name, "text", 4);
        image_detail::strip_png(file);
        CHECK(file == png);
    }
}

TEST_CASE("a damaged image is refused or read, and breaks nothing") {
    std::mt19937 random(1);
    for (const char* name : {"cat.jpg", "cat-grey.png", "cat-alpha.png"}) {
        const std::vector<unsigned char> whole = read_file(kImages + name, kPlenty);
        unsigned int refused = 0;
        for (unsigned int trial = 0; trial < 200; ++trial) {
            std::vector<unsigned char> damaged = whole;
            // Headers matter most, and are at the start.
            const std::size_t reach = trial % 2 == 0 ? 700 : whole.size();
            for (unsigned int k = 0; k <= trial % 5; ++k)
                damaged[random() % reach] = static_cast<unsigned char>(random());
            if (trial % 7 == 0) damaged.resize(random() % whole.size());
            try {
                const Image image = decode_image(damaged, std::size_t{1} << 26);
                CHECK(image.pixels.size() == image.pixel_count() * image.channels);
            } catch (const std::invalid_argument& error) {
                CHECK(std::string(error.what()).find('\n') == std::string::npos);
                ++refused;
            }
        }
        CHECK(refused > 50);
    }
}

TEST_CASE("vectors that all begin with red are found") {
    CHECK(check_channels(broken<first_byte_is_red::kernel>()));
}

TEST_CASE("channels that are not cleared are found") {
    CHECK(check_channels(broken<one_channel_cleared::kernel>()));
}
