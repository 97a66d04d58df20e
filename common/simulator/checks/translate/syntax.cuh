/// @file
/// @brief Checks that CUDA's syntax keeps its meaning wherever it may occur.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <utility>

#include "../../../checks/catch.hpp"
#include "../../../cuda/device_buffer.cuh"

namespace syntax_checks {

const char* const unlike_a_launch = "kernel<<<1, 2>>>(x); __shared__ int s[4]; \" // <<<";
const char* const raw_text = R"(kernel<<<grid, ")"
                             "block>>>(a); /* __shared__ )";
const char* const raw_delimited = R"x(extern __shared__ int s[]; )" >>>( )x";
const char* const raw_quoting = R"(a "kernel<<<1, 2>>>(x);" b)";
// kernel<<<1, 2>>>(x); don't take this apostrophe for a quotation mark
/* __shared__ int s[4]; extern __shared__ int t[]; ' " */

/// Runs a launch. @return What the kernel wrote to an int that was 0.
template <typename Launch>
int written_by(Launch launch) {
    const DeviceBuffer<int> d_cell(1);
    CUDA_CHECK(cudaMemset(d_cell.data(), 0, sizeof(int)));
    launch(d_cell.data());
    CUDA_CHECK(cudaGetLastError());
    return d_cell.to_host()[0];
}

__global__ void threads_kernel(int* d_cell) { atomicAdd(d_cell, 1); }

template <typename T, int kValue = 5>
__global__ void template_kernel(int* d_cell, T value) {
    atomicAdd(d_cell, static_cast<int>(value) + kValue);
}

template <typename A, typename B>
struct TwoTypes {
    A a;
    B b;
};
template <typename T>
unsigned int one_of() {
    return sizeof(T) > 0 ? 1u : 0u;
}
template <unsigned int kCount>
struct Count {
    static constexpr unsigned int value = kCount;
};

namespace inner {
__global__ void scoped_kernel(int* d_cell, int value) { atomicAdd(d_cell, value); }
}  // namespace inner

struct Step {
    void (*kernel)(int*);
};

TEST_CASE("strings, raw strings, comments, apostrophes and shifts are not launches") {
    CHECK(std::string(unlike_a_launch) ==
          "kernel<<<1, 2>>>(x); __shared__ int s[4]; \" // <"
          "<<");
    CHECK(std::string(raw_text) == "kernel<<<grid, \"block>>>(a); /* __shared__ )");
    CHECK(std::string(raw_quoting) ==
          "a \"kernel<<"
          "<1, 2>>"
          ">(x);\" b");
    CHECK(std::string(raw_delimited) ==
          "extern __shared__ int s[]; )\" >>"
          ">( ");
    const int million = 1'000'000, hexadecimal = 0x1'0f;
    CHECK((million == 1000000 && hexadecimal == 271 && 'a' == 97 && '\'' == 39 && '"' == 34));
    CHECK(((million >> 2) == 250000 && (1 << 3 << 1) == 16 && (256 >> 2 >> 1) == 32));
}

TEST_CASE("a kernel is launched with template arguments, given, deduced or left to their defaults") {
    CHECK(written_by([](int* d) { template_kernel<int, 3><<<1, 2>>>(d, 1); }) == 8);
    CHECK(written_by([](int* d) { template_kernel<float><<<1, 2>>>(d, 2.5f); }) == 14);
    CHECK(written_by([](int* d) { template_kernel<<<1, 2>>>(d, 1LL); }) == 12);
    CHECK(written_by([](int* d) { template_kernel<int, (4 > 3)><<<1, 2>>>(d, 1); }) == 4);
    CHECK(written_by([](int* d) { template_kernel<int, (64 >> 3)><<<1, 2>>>(d, 1); }) == 18);
    CHECK(written_by([](int* d) { template_kernel<int, Count<Count<3>::value>::value><<<1, 1>>>(d, 1); }) ==
          4);
}

TEST_CASE("the configuration of a launch can be any expression") {
    const unsigned int n = 100, block = 32;
    CHECK(written_by([&](int* d) { threads_kernel<<<1'0, 2>>>(d); }) == 20);
    CHECK(written_by([&](int* d) { threads_kernel<<<(n + block - 1) / block, block>>>(d); }) == 128);
    // clang-format off
    CHECK(written_by([&](int* d) { threads_kernel<<<n > block ? 2 : 1, 1 << 3>>>(d); }) == 16);
    CHECK(written_by([&](int* d) { threads_kernel<<<n >> 2, n < block ? 1 : 2>>>(d); }) == 50);
    // clang-format on
    CHECK(written_by([&](int* d) { threads_kernel<<<dim3(2, 3), dim3{4, 2}>>>(d); }) == 48);
    CHECK(written_by([&](int* d) {
              threads_kernel<<<one_of<TwoTypes<int, TwoTypes<int, char>>>(), Count<Count<7>::value>::value>>>(
                  d);
          }) == 7);
    CHECK(written_by([&](int* d) {
              threads_kernel<<<one_of<TwoTypes<int, TwoTypes<int, std::pair<int, int>>>>(), 5>>>(d);
          }) == 5);
}

TEST_CASE("a launch may span lines, and hold comments") {
    const int line = __LINE__;
    const auto launch = [](int* d_cell) {
        inner::scoped_kernel  // the name of a kernel in a namespace
            <<<2 /* blocks, not <<< */,
               3,  // threads >>>(
               0>>>(d_cell, 2);
    };
    CHECK(__LINE__ == line + 7);
    CHECK(written_by(launch) == 12);
}

TEST_CASE("a kernel is launched by its scoped name, through a pointer, a member or an array") {
    void (*const pointer)(int*) = threads_kernel;
    const Step step{threads_kernel}, *const address = &step, steps[] = {step};
    CHECK(written_by([](int* d) { ::syntax_checks::inner::scoped_kernel<<<1, 1>>>(d, 9); }) == 9);
    CHECK(written_by([&](int* d) { pointer<<<1, 2>>>(d); }) == 2);
    CHECK(written_by([&](int* d) { (*pointer)<<<1, 3>>>(d); }) == 3);
    CHECK(written_by([&](int* d) { step.kernel<<<1, 4>>>(d); }) == 4);
    CHECK(written_by([&](int* d) { address->kernel<<<1, 5>>>(d); }) == 5);
    CHECK(written_by([&](int* d) { steps[0].kernel<<<1, 6>>>(d); }) == 6);
    CHECK(written_by([&](int* d) {
              if (d != nullptr)
                  threads_kernel<<<1, 7>>>(d);
              else
                  threads_kernel<<<1, 8>>>(d);
          }) == 7);
}

__global__ void declarations_kernel(int* d_cell) {
    __shared__ int a, b[2], c[1 << 2][sizeof(int) > 2 ? 3 : 1];
    __shared__ TwoTypes<int, float> pair, pairs[2];
    extern __shared__ volatile unsigned int dynamic_words[];
    if (threadIdx.x == 0) {
        a = b[1] = c[3][2] = 1;
        pair.a = pairs[1].a = 2;
        dynamic_words[3] = 3;
        *d_cell = a + b[1] + c[3][2] + pair.a + pairs[1].a + static_cast<int>(dynamic_words[3]);
    }
}

TEST_CASE("shared memory is declared one by one or several at once, with any type and size") {
    CHECK(written_by([](int* d) { declarations_kernel<<<1, 1, 16>>>(d); }) == 10);
}

// clang-format off
#define JOINED_KERNEL(name) name ## _kernel
#define LAUNCH(name, blocks, ...) \
    name ## _kernel               \
        <<<blocks, 1>>>(__VA_ARGS__)
#define CONFIGURED(kernel, blocks) kernel<<<blocks, 1>>>
#if 0
kernel<<<1, 2>>;
#else
TEST_CASE("a launch may be in a macro, and `<< <` is `<<<`") {
    CHECK(written_by([](int* d) { LAUNCH(threads, 2, d); }) == 2);
    CHECK(written_by([](int* d) { CONFIGURED(threads_kernel, 3)(d); }) == 3);
    CHECK(written_by([](int* d) { JOINED_KERNEL(threads) << <4, 1 >> >(d); }) == 4);
    CHECK(written_by([](int* d) { template_kernel <int, 3> <<<1, 2>>> (d, 1); }) == 8);
}
#endif
extern __shared__ int array_of_the_file[];
extern "C" { __shared__ int shared_by_the_file[2]; }

__global__ void orders_kernel(int* d_cell) {
    static __shared__ int before[2]; __shared__ static int after; int __shared__ behind;
    volatile __shared__ int changing;
    __shared__ struct { int a; float b; } structure;
    __shared__ union Either { int i; float f; } either;
    extern int __shared__ dynamic_words[];
    extern __align__(16) __shared__ int rows[][3];
    extern __shared__ __align__(16) float4 vectors[];
    before[1] = after = behind = structure.a = either.i = 1;
    changing = 1;
    rows[1][2] = 5;
    shared_by_the_file[1] = 2;
    int* const words = array_of_the_file;
    *d_cell = before[1] + after + behind + changing + structure.a + either.i + dynamic_words[5] + words[5] +
              ((float*)array_of_the_file == &vectors[0].x) + shared_by_the_file[1];
}
// clang-format on

TEST_CASE(
    "shared memory is declared with its qualifiers in any order, as a struct, and outside of functions") {
    CHECK(written_by([](int* d) { orders_kernel<<<1, 1, 32>>>(d); }) == 19);
}

__global__ void alignment_kernel(int* d_cell) {
    __shared__ char first[48], second[80];
    *d_cell = static_cast<int>(
        (reinterpret_cast<std::uintptr_t>(first) | reinterpret_cast<std::uintptr_t>(second)) % 16);
}

TEST_CASE("a shared array of whole vectors can be read as vectors") {
    CHECK(written_by([](int* d) { alignment_kernel<<<1, 1>>>(d); }) == 0);
}

__global__ void tree_kernel(int* d_cell) {
    __shared__ int values[64];
    const auto partner = [=](unsigned int distance) { return values[threadIdx.x + distance]; };
    values[threadIdx.x] = 1;
    __syncthreads();
    for (unsigned int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += partner(half);
        __syncthreads();
    }
    if (threadIdx.x == 0) *d_cell = values[0];
}

__global__ void count_kernel(int* d_cell) {
    __shared__ unsigned int counts[2];
    extern __shared__ int turns[];
    if (threadIdx.x < 2) counts[threadIdx.x] = turns[threadIdx.x] = 0;
    __syncthreads();
    const unsigned int bin = threadIdx.x % 2;
    const auto count = [](unsigned int b) { atomicAdd(&counts[b], 1u); };
    const auto turn = [bin] {
        const auto turn_first = [] { atomicAdd(&turns[0], 1); };
        turn_first();
        atomicAdd(&turns[1], static_cast<int>(bin));
    };
    count(bin);
    turn();
    __syncthreads();
    if (threadIdx.x == 0) *d_cell = static_cast<int>(counts[0] + 2 * counts[1]) + turns[0] + turns[1];
}

TEST_CASE("a lambda uses shared variables themselves, without capturing them") {
    CHECK(written_by([](int* d) { tree_kernel<<<1, 64>>>(d); }) == 64);
    CHECK(written_by([](int* d) { count_kernel<<<1, 64, 8>>>(d); }) == 32 + 64 + 64 + 32);
}

__device__ __noinline__ int called(int value) { return value; }
__attribute__((__noinline__)) int called_by_host(int value) { return value; }
__global__ void calling_kernel(int* d_cell) { *d_cell = called(3); }

TEST_CASE("a function can be __noinline__, in CUDA's spelling and in GCC's") {
    CHECK(written_by([](int* d) { calling_kernel<<<1, 1>>>(d); }) == called_by_host(3));
}

struct Pair {
    int a, b;
};
__global__ void converting_kernel(int* d_cell, const float* nothing, Pair pair, double number, int more = 7) {
    if (nothing == nullptr) *d_cell = pair.a + pair.b + static_cast<int>(2 * number) + more;
}
int converting(int value) { return value; }
__global__ void converting(int* d_cell, short value) { *d_cell = value; }

TEST_CASE("a launch converts its arguments to the kernel's parameters") {
    CHECK(written_by([](int* d) { converting_kernel<<<1, 1>>>(d, 0, {1, 2}, 1.5f, 3); }) == 9);
    CHECK(written_by([](int* d) { converting_kernel<<<1, 1>>>(d, NULL, {1, 2}, 1, 3); }) == 8);
    CHECK(written_by([](int* d) { converting_kernel<<<1, 1>>>(d, nullptr, Pair{1, 2}, 1); }) == 12);
    CHECK(written_by([](int* d) { converting<<<1, 1>>>(d, converting(4)); }) == 4);
}

struct Counting {
    int* copies;
    int* ends;
    int calls = 0;
    Counting(int& copies_, int& ends_) : copies(&copies_), ends(&ends_) {}
    Counting(const Counting& other) : copies(other.copies), ends(other.ends) { ++*copies; }
    ~Counting() { ++*ends; }
};
__global__ void counting_kernel(int* d_cell, Counting own) { atomicAdd(d_cell, ++own.calls); }

TEST_CASE("no thread copies or destroys an argument") {
    int copies = 0, ends = 0;
    const Counting counting(copies, ends);
    CHECK(written_by([&](int* d) { counting_kernel<<<2, 32>>>(d, counting); }) == 64);
    CHECK(copies == ends);
    CHECK(copies <= 2);  // made by the launch itself
}

struct Watch {
    int clock() const { return 3; }
};
__global__ void clock_kernel(int* d_cell) {
    const clock_t begin = clock(), nanoseconds = clock64();
    *d_cell = Watch().clock() + (nanoseconds - begin < CLOCKS_PER_SEC);
}

TEST_CASE("clock() is the device's in a kernel, the C library's elsewhere, and a name like others") {
    CHECK(written_by([](int* d) { clock_kernel<<<1, 1>>>(d); }) == 4);
    const clock_t begin = clock();
    while (clock() < begin + CLOCKS_PER_SEC / 1000) {}  // until 1 ms of CPU time is used
    CHECK(clock() < begin + CLOCKS_PER_SEC);
}

}  // namespace syntax_checks
