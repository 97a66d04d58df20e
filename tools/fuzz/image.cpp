/// @file
/// @brief Fuzzes the reader of images, which must decode any bytes or refuse them in one line.
#include <zlib.h>

#include <cstdlib>

#include "../../04_coarsened/applications/image.hpp"

namespace {

/// Corrects the checksums of a PNG's chunks: almost every mutation breaks one, and libpng would refuse the
/// chunk.
void correct_checksums(std::vector<unsigned char>& png) {
    for (std::size_t at = 8; at + 12 <= png.size();) {
        const std::string_view bytes(reinterpret_cast<const char*>(png.data()), png.size());
        const std::size_t length = image_detail::number_at(bytes, at, 4, false);
        if (length > png.size() - at - 12) return;
        const auto sum = crc32(0, png.data() + at + 4, static_cast<unsigned int>(length + 4));
        for (unsigned int k = 0; k < 4; ++k)
            png[at + 8 + length + k] = static_cast<unsigned char>(sum >> (24 - 8 * k));
        at += 12 + length;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    std::vector<unsigned char> file(data, data + size);
    if (!file.empty() && file[0] == 0x89) correct_checksums(file);
    image_detail::jpeg_orientation({reinterpret_cast<const char*>(data), size});
    constexpr std::size_t kMostBytes = 1 << 18;
    try {
        const Image image = decode_image(std::move(file), kMostBytes);
        if (image.pixels.empty() || image.pixels.size() > kMostBytes ||
            image.pixels.size() != image.pixel_count() * image.channels)
            std::abort();
    } catch (const std::invalid_argument& error) {
        if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
    }
    return 0;
}
