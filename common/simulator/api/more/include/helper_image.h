/// @file
/// @brief The parts of helper_image.h, a header of NVIDIA's samples, that programs use: images as PPM and PGM
/// files.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include <string>
#include <type_traits>
#include <vector>

#include "helper_string.h"

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

/// @brief The pixels of a PPM (3 bytes each) or PGM file (1 byte each) with values up to 255.
struct SimImage {
    unsigned int width = 0, height = 0;
    size_t channels = 0;
    std::vector<unsigned char> bytes{};

    /// @return Whether the file could be read.
    bool load(const char* path) {
        FILE* const file = fopen(path, "rb");
        const bool read =
            file != nullptr && (load_from(file) || complain(path, "is not a binary PPM or PGM file"));
        if (file != nullptr) fclose(file);
        return read || (file == nullptr && complain(path, "can't be opened"));
    }
    /// @return Whether the file could be written.
    bool save(const char* path) const {
        FILE* const file = fopen(path, "wb");
        if (file == nullptr) return complain(path, "can't be written");
        fprintf(file, "P%c\n%u %u\n255\n", channels == 3 ? '6' : '5', width, height);
        const bool written = fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
        return fclose(file) == 0 && written ? true : complain(path, "can't be written");
    }

 private:
    static bool complain(const char* path, const char* what) {
        return fprintf(stderr, "%s %s\n", path, what), false;
    }
    /// The next number of the header, after any comments; 0 if there is none.
    static unsigned int number(FILE* file) {
        int c = fgetc(file);
        while (c == '#' || c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            while (c == '#' && c != EOF && (c = fgetc(file)) != '\n') c = c == EOF ? EOF : '#';
            c = fgetc(file);
        }
        unsigned int value = 0;
        for (; c >= '0' && c <= '9' && value < 100000000; c = fgetc(file))
            value = value * 10 + unsigned(c - '0');
        return value;
    }
    bool load_from(FILE* file) {
        const int p = fgetc(file), kind = fgetc(file);
        if (p != 'P' || (kind != '5' && kind != '6')) return false;
        channels = kind == '6' ? 3 : 1;
        width = number(file);
        height = number(file);
        if (width == 0 || height == 0 || number(file) != 255) return false;
        const size_t row = width * channels;
        for (unsigned int y = 0; y < height; ++y) {  // allocates only for what the file contains
            bytes.resize(bytes.size() + row);
            if (fread(bytes.data() + bytes.size() - row, 1, row, file) != row) return false;
        }
        return true;
    }
};

/// Loads an image into an array with `channels` numbers per pixel; a fourth number is 0. If `T` is not a
/// byte, the numbers range from 0 to 1. `*data` is allocated if it is null. @return Whether the image could
/// be loaded.
template <typename T>
bool sim_load(const char* path, T** data, unsigned int* width, unsigned int* height, size_t channels) {
    SimImage image;
    if (!image.load(path)) return false;
    if (image.channels != (channels == 4 ? 3 : channels))
        return fprintf(stderr, "%s has %zu numbers per pixel\n", path, image.channels), false;
    *width = image.width;
    *height = image.height;
    const size_t pixels = size_t{image.width} * image.height;
    if (*data == nullptr) *data = static_cast<T*>(malloc(pixels * channels * sizeof(T)));
    for (size_t i = 0; i < pixels; ++i)
        for (size_t k = 0; k < channels; ++k) {
            const unsigned char byte = k < image.channels ? image.bytes[i * image.channels + k] : 0;
            (*data)[i * channels + k] =
                std::is_same_v<T, unsigned char> ? static_cast<T>(byte) : static_cast<T>(byte / 255.0f);
        }
    return true;
}
/// Saves the first `saved` of the `channels` numbers of each pixel.
template <typename T>
bool sim_save(const char* path, const T* data, unsigned int width, unsigned int height, size_t channels,
              size_t saved) {
    SimImage image{width, height, saved};
    for (size_t i = 0; i < size_t{width} * height; ++i)
        for (size_t k = 0; k < saved; ++k) {
            const T value = data[i * channels + k];
            image.bytes.push_back(
                static_cast<unsigned char>(std::is_same_v<T, unsigned char> ? value : value * 255));
        }
    return image.save(path);
}

template <typename T>
bool sdkLoadPGM(const char* path, T** data, unsigned int* width, unsigned int* height) {
    return sim_load(path, data, width, height, 1);
}
template <typename T>
bool sdkLoadPPM4(const char* path, T** data, unsigned int* width, unsigned int* height) {
    return sim_load(path, data, width, height, 4);
}
inline bool sdkLoadPPM4ub(const char* path, unsigned char** data, unsigned int* width, unsigned int* height) {
    return sim_load(path, data, width, height, 4);
}
template <typename T>
bool sdkSavePGM(const char* path, T* data, unsigned int width, unsigned int height) {
    return sim_save(path, data, width, height, 1, 1);
}
inline bool sdkSavePPMub(const char* path, unsigned char* data, unsigned int width, unsigned int height) {
    return sim_save(path, data, width, height, 3, 3);
}
inline bool sdkSavePPM4ub(const char* path, unsigned char* data, unsigned int width, unsigned int height) {
    return sim_save(path, data, width, height, 4, 3);
}
/// @return Whether two images have the same size, and at most the fraction `threshold` of their bytes differs
/// by more than `epsilon`.
inline bool sim_compare_images(const char* path, const char* expected, float epsilon, float threshold) {
    SimImage a, b;
    if (!a.load(path) || !b.load(expected) || a.width != b.width || a.bytes.size() != b.bytes.size())
        return false;
    size_t wrong = 0;
    for (size_t i = 0; i < a.bytes.size(); ++i) wrong += std::abs(a.bytes[i] - b.bytes[i]) > epsilon;
    return static_cast<float>(wrong) <= threshold * static_cast<float>(a.bytes.size());
}
inline bool sdkComparePPM(const char* path, const char* expected, float epsilon, float threshold, bool) {
    return sim_compare_images(path, expected, epsilon, threshold);
}
inline bool sdkComparePGM(const char* path, const char* expected, float epsilon, float threshold, bool) {
    return sim_compare_images(path, expected, epsilon, threshold);
}
