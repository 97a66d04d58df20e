/// @file
/// @brief The parts of helper_functions.h, a header of NVIDIA's samples, that programs use.
#pragma once

#include <math.h>

#include <fstream>
#include <string>
#include <vector>

#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"

template <typename T>
bool compareData(const T* expected, const T* data, unsigned int count, float epsilon, float threshold) {
    unsigned int wrong = 0;
    for (unsigned int i = 0; i < count; ++i)
        wrong += !(fabs(double(expected[i]) - double(data[i])) <= epsilon);
    return wrong <= static_cast<unsigned int>(static_cast<float>(count) * threshold);
}
inline bool sdkCompareL2fe(const float* expected, const float* data, unsigned int count, float epsilon) {
    double error = 0, reference = 0;
    for (unsigned int i = 0; i < count; ++i) {
        error += (expected[i] - data[i]) * (expected[i] - data[i]);
        reference += expected[i] * expected[i];
    }
    return sqrt(error) <= epsilon * sqrt(reference);
}

/// Writes numbers as text, after a comment with the tolerance that a comparison should allow.
/// @return Whether the file could be written.
template <typename T, typename Epsilon>
bool sdkWriteFile(const char* path, const T* data, unsigned int count, const Epsilon epsilon, bool,
                  bool append = false) {
    std::ofstream file(path, append ? std::ios::app : std::ios::trunc);
    if (!append) file << "# " << epsilon << "\n";
    for (unsigned int i = 0; i < count; ++i) file << data[i] << ' ';
    return static_cast<bool>(file.flush());
}
/// Reads a file that sdkWriteFile has written. If `*data` is null, it is allocated; otherwise, it has room
/// for `*count` numbers. Sets `*count` to the number of numbers read.
/// @return Whether the file could be read and `*data` has room for the numbers.
template <typename T>
bool sdkReadFile(const char* path, T** data, unsigned int* count, bool) {
    std::ifstream file(path);
    if (!file) return false;
    while (file.peek() == '#') file.ignore(1 << 20, '\n');
    std::vector<T> numbers;
    for (T number; file >> number;) numbers.push_back(number);
    if (*data == nullptr)
        *data = static_cast<T*>(malloc(numbers.size() * sizeof(T)));
    else if (numbers.size() > *count)
        return false;
    *count = static_cast<unsigned int>(numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) (*data)[i] = numbers[i];
    return true;
}
inline void sdkDumpBin(void* data, unsigned int bytes, const char* path) {
    std::ofstream(path, std::ios::binary).write(static_cast<const char*>(data), bytes);
}
/// Compares the numbers in two binary files, the second of which may be in `data/`.
/// @return Whether at most the fraction `threshold` of them differs by more than `epsilon`.
inline bool sdkCompareBin2BinFloat(const char* path, const char* expected, unsigned int count, float epsilon,
                                   float threshold, char* folder) {
    std::vector<float> numbers[2] = {std::vector<float>(count), std::vector<float>(count)};
    char* const found = sdkFindFilePath(expected, folder);
    const std::string places[] = {path, found == nullptr ? expected : found};
    free(found);
    for (int i = 0; i < 2; ++i) {
        std::ifstream file(places[i], std::ios::binary);
        if (!file.read(reinterpret_cast<char*>(numbers[i].data()), count * sizeof(float))) return false;
    }
    return compareData(numbers[1].data(), numbers[0].data(), count, epsilon, threshold);
}
