/// @file
/// @brief Checks of image files: what is written and read, and what is refused.
#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../../common/checks/catch.hpp"
#include "../../../common/checks/folder.hpp"
#include "../image.hpp"

namespace image_checks {

const std::string kImages = "04_coarsened/applications/images/";

constexpr std::size_t kPlenty = std::size_t{1} << 30;

TEST_CASE("an image that is written and read again is unchanged") {
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

TEST_CASE("an image that is too large for the memory is rejected before there is any for it") {
    // The file is small, because all pixels are the same.
    const Folder folder;
    const std::string path = folder / "large.png";
    write_image(path, {1000, 1000, 3, std::vector<unsigned char>(3000000, 7)});
    CHECK(read_image(path, 3000000).pixel_count() == 1000000);
    const std::string refusal = thrown_by([&] { read_image(path, 2999999); });
    CHECK(refusal.find("1000 x 1000 pixels") != std::string::npos);
}

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

constexpr std::ptrdiff_t kHeader = 33;  // bytes at a PNG file's beginning: its signature, and the chunk IHDR

/// A PNG file with a chunk before its pixels; `length` is the length that the chunk claims.
std::vector<unsigned char> with_chunk(std::vector<unsigned char> png, const std::string& name,
                                      const std::string& data, std::size_t length) {
    const std::string chunk = number_in(4, length, false) + name + data + "\1\2\3\4";
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

TEST_CASE("an image is read upright, whatever its Exif orientation") {
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
            for (std::size_t size = 0; size < data.size() - 8; ++size)  // damaged: as stored
                CHECK(letters(decode_image(with_exif(jpeg, data.substr(0, size)), kPlenty)) == "ABCDEF");
        }
    }
}

TEST_CASE("the values of a PNG image are as stored, whatever gamma it states") {
    const Image image{3, 1, 1, {0, 64, 255}};
    std::vector<unsigned char> png = image_detail::encode_png(image);
    image_detail::strip_png(png);  // drops libpng's statement that the image is sRGB
    // States a gamma of 1, with a valid checksum, or libpng would ignore it. A viewer would show 64 brighter.
    const std::string chunk("\0\0\0\4gAMA\0\1\x86\xA0\x31\xE8\x96\x5F", 16);
    png.insert(png.begin() + kHeader, chunk.begin(), chunk.end());
    CHECK(decode_image(png, kPlenty).pixels == image.pixels);
}

TEST_CASE("the metadata of a PNG image takes no memory") {
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
    std::vector<unsigned char> bare = png;
    image_detail::strip_png(bare);
    for (const char* name : {"iTXt", "zTXt", "tEXt", "sPLT", "eXIf", "iCCP", "xxXx"}) {
        std::vector<unsigned char> file = with_chunk(png, name, "text", 4);
        image_detail::strip_png(file);
        CHECK(file == bare);
    }
}

TEST_CASE("a damaged image is rejected or read, and breaks nothing") {
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

}  // namespace image_checks
