/// @file
/// @brief cuRAND's functions for the host. The numbers differ from a GPU's, but have the same distributions.
#pragma once

#include "curand_kernel.h"

enum curandStatus_t {
    CURAND_STATUS_SUCCESS,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_LAUNCH_FAILURE = 201
};
using curandStatus = curandStatus_t;
enum curandRngType_t {
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
};
struct SimGenerator {
    curandState state;
    bool on_host;
};
using curandGenerator_t = SimGenerator*;

inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t) {
    return *generator = new SimGenerator{}, CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t) {
    return *generator = new SimGenerator{{}, true}, CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    return delete generator, CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                         unsigned long long seed) {
    return curand_init(seed, 0, 0, &generator->state), CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
    return skipahead(offset, &generator->state), CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t, cudaStream_t) { return CURAND_STATUS_SUCCESS; }

namespace sim {
template <typename T, typename Draw>
curandStatus_t generate(curandGenerator_t generator, T* to, size_t count, Draw draw) {
    T* const numbers = new T[count];
    for (size_t i = 0; i < count; ++i) numbers[i] = draw(&generator->state);
    const cudaError_t error = cudaMemcpy(to, numbers, count * sizeof(T), cudaMemcpyDefault);
    delete[] numbers;
    return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}
}  // namespace sim

inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* to, size_t count) {
    return sim::generate(generator, to, count, curand);
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* to, size_t count) {
    return sim::generate(generator, to, count, curand_uniform);
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* to, size_t count) {
    return sim::generate(generator, to, count, curand_uniform_double);
}
inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* to, size_t count, float mean,
                                           float deviation) {
    return sim::generate(generator, to, count,
                         [=](curandState* s) { return mean + deviation * curand_normal(s); });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* to, size_t count,
                                                 double mean, double deviation) {
    return sim::generate(generator, to, count,
                         [=](curandState* s) { return mean + deviation * curand_normal_double(s); });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* to, size_t count,
                                              float mean, float deviation) {
    return sim::generate(generator, to, count,
                         [=](curandState* s) { return curand_log_normal(s, mean, deviation); });
}
inline curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int* to, size_t count,
                                            double mean) {
    return sim::generate(generator, to, count, [=](curandState* s) { return curand_poisson(s, mean); });
}
