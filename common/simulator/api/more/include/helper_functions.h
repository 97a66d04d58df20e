/// @file
/// @brief What programs use of the header of this name in NVIDIA's samples.
#pragma once

#include <math.h>

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
