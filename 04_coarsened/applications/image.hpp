/// @file
/// @brief Images of 8 bits per channel: read from PNG and JPEG files and written to them.
///
/// libpng and TurboJPEG decode, and decide which files are valid.
#pragma once

#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../common/bench/output_file.hpp"
#include "../../common/problem/file.hpp"
#include "metadata.hpp"

/// An image in host memory: row after row, pixel after pixel, the channels of a pixel side by side.
struct Image {
    std::size_t width = 0, height = 0;  ///< in pixels
    unsigned int channels = 0;          ///< 1: grey; 3: red, green, blue; 4: these and alpha
    std::vector<unsigned char> pixels;  ///< width × height × channels bytes

    /// Width times height.
    std::size_t pixel_count() const { return width * height; }
};

namespace image_detail {

struct ReleaseJpeg {
    void operator()(void* handle) const { tjDestroy(handle); }
};
using Jpeg = std::unique_ptr<void, ReleaseJpeg>;

/// @return An image with room for its pixels.
/// @throws std::invalid_argument if it has no pixels, or more than `most_bytes` bytes.
inline Image make_room(std::size_t width, std::size_t height, unsigned int channels, std::size_t most_bytes) {
    if (width == 0 || height == 0) throw std::invalid_argument("has no pixels");
    if (height > most_bytes / channels / width)
        throw std::invalid_argument("has " + std::to_string(width) + " x " + std::to_string(height) +
                                    " pixels, but there is memory for only " +
                                    std::to_string(most_bytes / channels));
    return {width, height, channels, std::vector<unsigned char>(width * height * channels)};
}

/// @return The stored image, turned and mirrored for viewing as its Exif orientation says, from 1 to 8.
inline Image upright(Image stored, std::size_t orientation) {
    if (orientation == 1) return stored;
    const bool turned = orientation > 4;  // rows become columns
    const auto is_in = [&](const std::array<std::size_t, 4>& some) {
        return std::find(some.begin(), some.end(), orientation) != some.end();
    };
    const bool from_right = is_in({2, 3, 7, 8}), from_below = is_in({3, 4, 6, 7});
    Image seen{turned ? stored.height : stored.width, turned ? stored.width : stored.height, stored.channels,
               std::vector<unsigned char>(stored.pixels.size())};
    auto pixel = seen.pixels.begin();
    for (std::size_t y = 0; y < seen.height; ++y)
        for (std::size_t x = 0; x < seen.width; ++x) {
            std::size_t column = turned ? y : x, row = turned ? x : y;
            if (from_right) column = stored.width - 1 - column;
            if (from_below) row = stored.height - 1 - row;
            pixel = std::copy_n(stored.pixels.data() + (row * stored.width + column) * stored.channels,
                                stored.channels, pixel);
        }
    return seen;
}

inline Image decode_png(std::vector<unsigned char> file, std::size_t most_bytes) {
    const std::size_t orientation = strip_png(file);
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    const std::unique_ptr<png_image, void (*)(png_image*)> release(&png, png_image_free);
    const auto require = [&](int done) {
        if (done == 0 || PNG_IMAGE_FAILED(png))
            throw std::invalid_argument("is not a readable PNG image: " + std::string(png.message));
    };
    require(png_image_begin_read_from_memory(&png, file.data(), file.size()));
    png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // treat 16-bit values like 8-bit ones, not as linear
    const bool alpha = (png.format & PNG_FORMAT_FLAG_ALPHA) != 0;
    const bool color = (png.format & PNG_FORMAT_FLAG_COLOR) != 0;
    png.format = alpha ? PNG_FORMAT_RGBA : color ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    Image image = make_room(png.width, png.height, alpha ? 4 : color ? 3 : 1, most_bytes);
    require(png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr));
    return upright(std::move(image), orientation);
}

inline Image decode_jpeg(const std::vector<unsigned char>& file, std::size_t most_bytes) {
    const Jpeg jpeg(tjInitDecompress());
    const auto require = [&](int status) {
        if (status != 0)
            throw std::invalid_argument("is not a readable JPEG image: " +
                                        std::string(tjGetErrorStr2(jpeg.get())));
    };
    int width = 0, height = 0, subsampling = 0, colors = 0;
    require(
        tjDecompressHeader3(jpeg.get(), file.data(), file.size(), &width, &height, &subsampling, &colors));
    if (colors == TJCS_CMYK || colors == TJCS_YCCK)
        throw std::invalid_argument("is a JPEG image in CMYK, for printing; save it as RGB");
    const bool grey = colors == TJCS_GRAY;
    Image image = make_room(static_cast<std::size_t>(width), static_cast<std::size_t>(height), grey ? 1 : 3,
                            most_bytes);
    require(tjDecompress2(jpeg.get(), file.data(), file.size(), image.pixels.data(), width, 0, height,
                          grey ? TJPF_GRAY : TJPF_RGB, TJFLAG_LIMITSCANS));
    return upright(std::move(image),
                   jpeg_orientation({reinterpret_cast<const char*>(file.data()), file.size()}));
}

inline std::vector<unsigned char> encode_png(const Image& image) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = image.channels == 4   ? PNG_FORMAT_RGBA
                 : image.channels == 3 ? PNG_FORMAT_RGB
                                       : PNG_FORMAT_GRAY;
    png.flags = PNG_IMAGE_FLAG_FAST;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
    std::vector<unsigned char> file(size);
    if (png_image_write_to_memory(&png, file.data(), &size, 0, image.pixels.data(), 0, nullptr) == 0)
        throw std::runtime_error("could not be encoded as PNG: " + std::string(png.message));
    file.resize(size);
    return file;
}

/// @return The image as a JPEG file. Alpha is dropped: JPEG does not have it.
inline std::vector<unsigned char> encode_jpeg(const Image& image) {
    const Jpeg jpeg(tjInitCompress());
    const int format = image.channels == 4 ? TJPF_RGBA : image.channels == 3 ? TJPF_RGB : TJPF_GRAY;
    constexpr int kQuality = 95;
    unsigned char* data = nullptr;
    unsigned long size = 0;
    const int status = tjCompress2(jpeg.get(), image.pixels.data(), static_cast<int>(image.width), 0,
                                   static_cast<int>(image.height), format, &data, &size,
                                   image.channels == 1 ? TJSAMP_GRAY : TJSAMP_444, kQuality, 0);
    const std::unique_ptr<unsigned char, void (*)(unsigned char*)> release(data, tjFree);
    if (status != 0)
        throw std::runtime_error("could not be encoded as JPEG: " + std::string(tjGetErrorStr2(jpeg.get())));
    return {data, data + size};
}

}  // namespace image_detail

/// @return The format of a file with this name: `png` or `jpg`; empty for any other.
inline std::string image_format(const std::string& path) {
    std::string ending = path.substr(path.find_last_of('.') + 1);
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (ending == "png") return "png";
    return ending == "jpg" || ending == "jpeg" ? "jpg" : "";
}

/// @brief Decodes the bytes of a PNG or JPEG file; the first bytes say which.
///
/// A palette becomes colours, 16 bits become 8, and grey with alpha becomes RGBA. Otherwise, the values are
/// as stored, whatever colour space the file states. An image whose Exif data say that it is turned or
/// mirrored is returned as it should be viewed.
/// @param[in] most_bytes The most bytes that the pixels may take.
/// @throws std::invalid_argument if the bytes are damaged or neither PNG nor JPEG, or the image is too large.
inline Image decode_image(std::vector<unsigned char> file, std::size_t most_bytes) {
    const auto starts_with = [&](const std::vector<unsigned char>& bytes) {
        return file.size() >= bytes.size() && std::equal(bytes.begin(), bytes.end(), file.begin());
    };
    if (starts_with({0x89, 'P', 'N', 'G'})) return image_detail::decode_png(std::move(file), most_bytes);
    if (starts_with({0xFF, 0xD8, 0xFF})) return image_detail::decode_jpeg(file, most_bytes);
    throw std::invalid_argument("is neither a PNG nor a JPEG image");
}

/// @brief Reads a PNG or JPEG file, as `decode_image` does.
/// @param[in] most_bytes The most bytes that the file may have, and that the pixels may take.
/// @throws std::invalid_argument also if the file is missing.
inline Image read_image(const std::string& path, std::size_t most_bytes) {
    std::vector<unsigned char> file = read_file(path, most_bytes);
    try {
        return decode_image(std::move(file), most_bytes);
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(path + ": " + error.what());
    }
}

/// @brief Writes a PNG or JPEG file, depending on its name, by `write_output`.
/// @throws std::runtime_error if the image can't be encoded, or the file can't be written.
inline void write_image(const std::string& path, const Image& image) {
    const bool png = image_format(path) == "png";
    const auto bytes = png ? image_detail::encode_png(image) : image_detail::encode_jpeg(image);
    write_output(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}
