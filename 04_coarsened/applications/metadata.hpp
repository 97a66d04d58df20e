/// @file
/// @brief What image files contain besides their pixels: the orientation, and data that no pixel depends on.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace image_detail {

/// @return The whole number in `size` bytes of a file, from byte `at` on; 0 if they are past its end.
inline std::size_t number_at(std::string_view bytes, std::size_t at, std::size_t size, bool little_endian) {
    std::size_t number = 0;
    for (std::size_t k = 0; k < size && at + size <= bytes.size(); ++k)
        number = number << 8 | static_cast<unsigned char>(bytes[at + (little_endian ? size - 1 - k : k)]);
    return number;
}

/// @return The orientation that Exif data state, from 1 to 8; 1 (as stored) if they state none.
inline std::size_t exif_orientation(std::string_view exif) {
    const bool little_endian = exif.starts_with("II");
    const auto number = [&](std::size_t at, std::size_t size) {
        return number_at(exif, at, size, little_endian);
    };
    if ((!little_endian && !exif.starts_with("MM")) || number(2, 2) != 42) return 1;
    const std::size_t directory = number(4, 4), entries = number(directory, 2);
    for (std::size_t k = 0; k < entries; ++k) {
        const std::size_t entry = directory + 2 + 12 * k, stated = number(entry + 8, 2);
        if (number(entry, 2) == 0x0112) return stated >= 1 && stated <= 8 ? stated : 1;
    }
    return 1;
}

/// @return The orientation that a JPEG file states in a segment before its pixels; 1 if it states none.
inline std::size_t jpeg_orientation(std::string_view file) {
    for (std::size_t at = 2; number_at(file, at, 1, false) == 0xFF;) {
        const std::size_t kind = number_at(file, at + 1, 1, false), size = number_at(file, at + 2, 2, false);
        if (kind == 0xDA || at + 4 > file.size()) break;
        const std::string_view segment = file.substr(at + 4, std::max<std::size_t>(size, 2) - 2);
        constexpr std::string_view kExif("Exif\0\0", 6);
        if (kind == 0xE1 && segment.starts_with(kExif)) return exif_orientation(segment.substr(kExif.size()));
        at += kind == 0xFF ? 1 : 2 + size;
    }
    return 1;
}

/// @brief Keeps only those chunks of a PNG file that its pixels depend on, up to the first incomplete chunk.
///
/// libpng would reserve whatever length a text chunk claims to have, and decompress the text to a thousand
/// times its size. If the file had a chunk about colours, such as gAMA, libpng would convert the pixels to
/// sRGB instead of returning them as stored.
/// @return The orientation that the file states.
inline std::size_t strip_png(std::vector<unsigned char>& file) {
    constexpr std::size_t kSignature = 8, kAround = 12;  // a chunk's length, name and checksum
    const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
    std::size_t orientation = 1, kept = std::min(kSignature, file.size());
    std::string name;
    for (std::size_t at = kSignature; name != "IEND" && at + kAround <= bytes.size();) {
        const std::size_t length = number_at(bytes, at, 4, false), size = kAround + length;
        if (size > bytes.size() - at) break;
        name = bytes.substr(at + 4, 4);
        if (name == "eXIf") orientation = exif_orientation(bytes.substr(at + 8, length));
        const bool critical = std::isupper(static_cast<unsigned char>(name[0])) != 0;
        if (critical || name == "tRNS") {
            std::memmove(file.data() + kept, file.data() + at, size);
            kept += size;
        }
        at += size;
    }
    file.resize(kept);
    return orientation;
}

}  // namespace image_detail
