// Mathematical and bit functions, conversions, half precision, random numbers.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <curand_kernel.h>

#include <cmath>
#include <limits>

#include "check.h"

__host__ __device__ int min(int a, int b);  // a program may redeclare CUDA's functions

__device__ __noinline__ bool near(double a, double b) { return fabs(a - b) <= 1e-5 * fabs(b); }

__global__ void numbers_kernel(int* wrong) {
    const float nothing = nanf(""), large = 1e20f;
    __shared__ __half2 pair;
    pair = __floats2half2_rn(1, 2);
    atomicAdd(&pair, __floats2half2_rn(3, 4));
    const bool right[] = {
        near(rsqrtf(4.0f), 0.5),
        near(__expf(1.0f), 2.7182818),
        near(__sinf(1.0f), 0.84147098),
        near(__fdividef(1.0f, 4.0f), 0.25),
        near(normcdff(0.0f), 0.5),
        near(__fmaf_rn(2.0f, 3.0f, 1.0f), 7),
        min(3, 5u) == 3,
        max(2.5f, 1.0) == 2.5,
        min(-1ll, 1ll) == -1,
        umin(~0u, 3u) == 3 && umax(~0u, 3u) == ~0u,
        llmin(-1, 1) == -1 && llmax(-1, 1) == 1,
        ullmin(~0ull, 1) == 1 && ullmax(~0ull, 1) == ~0ull,
        __clz(1) == 31,
        __clz(0) == 32,
        __ffsll(1ll << 40) == 41,
        __popcll(~0ull) == 64,
        __brev(1) == 0x80000000,
        __byte_perm(0x03020100, 0x07060504, 0x7410) == 0x07040100,
        __umulhi(1u << 31, 6) == 3,
        __dp4a(0x01010101, 0x02020202, 1) == 9,
        __funnelshift_l(0x80000000, 1, 1) == 3,
        __float_as_uint(1.0f) == 0x3f800000,
        __int_as_float(0x40000000) == 2.0f,
        __double2hiint(1.0) == 0x3ff00000,
        __float2int_rz(large) == 0x7fffffff,
        __float2int_rn(nothing) == 0,
        __float2ll_rz(nothing) == -(1ll << 62) * 2,
        __mul24(1 << 24, 1) == 0,
        __mul24(-3, 5) == -15,
        fabs(erfcx(30.0) - 0.018795888861417) < 1e-12,
        sinpif(1e6f) == 0,
        __float2int_rn(2.5f) == 2,
        __float2uint_rd(-1.0f) == 0,
        __float2int_ru(1.1f) == 2,
        __int2float_rz(16777219) == 16777218 && __int2float_ru(16777217) == 16777218 &&
            __uint2float_rd(7) == 7,
        __int2float_rd(-16777217) == -16777218 && __int2float_rz(-16777219) == -16777218,
        __ll2float_rz(0x7fffffffffffffff) == 9223371487098961920.0f && __ull2float_ru(~0ull) == 0x1p64f,
        __double2float_rd(0.1) < 0.1 && __double2float_ru(-0.1) > -0.1 && __double2float_rz(1e300) < INFINITY,
        __half2float(__float2half(1.0f / 3)) == 0.33325195f,
        __half2float(__float2half(65520.0f)) > 65504.0f,
        __half2float(__hadd(__float2half(1.0f), __float2half(0.5f))) == 1.5f,
        __low2float(__hmul2(__floats2half2_rn(2, 3), __float2half2_rn(4))) == 8.0f,
        __low2float(pair) == 4.0f && __high2float(pair) == 6.0f,
        __half2float(__ushort_as_half(1)) == 5.9604645e-8f,
        __bfloat162float(__float2bfloat16(3.14159f)) == 3.140625f,
        __low2float(__hmax2(half2(1.0f, 2.0f), __floats2half2_rn(3, 0))) == 3,
        __high2float(__hmin2(half2(1.0f, 2.0f), __floats2half2_rn(3, 0))) == 0,
        __hbgt2(half2(2.0f, 3.0f), half2(1.0f, 2.0f)) && !__hbgt2(half2(2.0f, 2.0f), half2(1.0f, 2.0f)),
        __low2float(__hgt2(half2(2.0f, 2.0f), half2(1.0f, 2.0f))) == 1,
        __high2float(h2sqrt(half2(4.0f, 9.0f))) == 3,
        __half2float(__float2half_rd(65520.0f)) == 65504.0f && __half2float(__float2half_rz(-0.1f)) > -0.1f,
        __half_as_ushort(__float2half_ru(1e-9f)) == 1 && __half_as_short(__float2half_rd(-1e-9f)) == -32767,
        __half2int_ru(half(1.5f)) == 2 && __half2short_rn(half(40000.0f)) == 32767,
        __half2uint_rz(half(-1.0f)) == 0 && __half2float(__int2half_rz(2051)) == 2050,
        __half2float(__int2half_rz(-70000)) == -65504 && __half2float(__ushort2half_rd(65535)) == 65504,
        __bfloat162float(__int2bfloat16_ru(16777217)) == 16908288 &&
            __bfloat162float(__ll2bfloat16_rz(-16777217)) == -16777216,
        __bfloat162int_rn(__float2bfloat16_ru(3.001f)) == 3 && __bfloat162float(__int2bfloat16_rn(-3)) == -3,
        __half2float(__hadd_sat(half(0.75f), half(0.5f))) == 1 &&
            __half2float(__hmul_rn(half(2), half(3))) == 6,
        __low2float(__hfma2_relu(half2(2, 2), half2(-3, 3), half2(1, 1))) == 0,
        __hisnan(__hmax_nan(half(1), __ushort_as_half(0x7e00))) && __hisinf(half(-1e6f)) == -1,
        __half2float(hfloor(hlog2(half(9.0f)))) == 3 && __high2float(h2exp2(half2(1, 3))) == 8,
        __bfloat162float(__low2bfloat16(__floats2bfloat162_rn(1, 2))) == 1,
        cuCmul(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(3, 4)).x == -5,
        near(cuCimagf(cuCdivf(make_cuComplex(-5, 10), make_cuComplex(3, 4))), 2),
        near(cuCabs(make_cuDoubleComplex(3e200, 4e200)), 5e200),
        float(__nv_fp8_e4m3(1000.0f)) == 448 && float(__nv_fp8_e5m2(-1.0e6f)) == -57344,
        __nv_fp8_e4m3(0.3f).__x == 0x2a && __nv_fp8_e5m2(0.3f).__x == 0x35,
        __nv_cvt_float_to_fp8(1000, __NV_NOSAT, __NV_E4M3) == 0x7f,
        __nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E5M2) == 0x7c,
    };
    for (int i = 0; i < static_cast<int>(sizeof(right)); ++i)
        if (!right[i]) *wrong = i + 1;
}

__global__ void random_kernel(double* sums) {
    curandState state;
    curand_init(1, threadIdx.x, 0, &state);
    double uniform = 0, normal = 0;
    for (int i = 0; i < 1000; ++i) {
        const float x = curand_uniform(&state), y = curand_normal(&state);
        if (!(x > 0 && x <= 1)) uniform = 1e9;
        uniform += x;
        normal += y * y;
    }
    atomicAdd(&sums[0], uniform / 1000 / blockDim.x);
    atomicAdd(&sums[1], normal / 1000 / blockDim.x);
}

int main() {
    int* wrong;
    double* sums;
    RUNS(cudaMallocManaged(&wrong, sizeof(int)));
    RUNS(cudaMallocManaged(&sums, 2 * sizeof(double)));
    *wrong = 0;
    sums[0] = sums[1] = 0;
    numbers_kernel<<<1, 1>>>(wrong);
    random_kernel<<<1, 256>>>(sums);
    RUNS(cudaDeviceSynchronize());
    if (*wrong != 0) printf("number %d of the list is wrong\n", *wrong);
    CHECK(*wrong == 0);
    CHECK(fabs(sums[0] - 0.5) < 0.01 && fabs(sums[1] - 1) < 0.02);
}
