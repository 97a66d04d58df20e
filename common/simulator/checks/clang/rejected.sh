#!/usr/bin/env bash
# Checks that code which nvcc rejects is also rejected here, at the student's line:
#   rejected.sh CLANG                         by clang, which the build asks if it is installed
#   rejected.sh TRANSLATE COMPILER OPTION...  by the compiler of the translated file alone
set -euo pipefail
simulator=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
input=$scratch/input.cu
compiler=("$@")
failures=0

ask() {
  if [ ${#compiler[@]} -eq 1 ]; then
    CLANG=${compiler[0]} "$simulator/clang/rejected.sh" "$input" "-std=c++${standard:-20}"
  else
    "${compiler[0]}" "$input" "$scratch/output.cpp" &&
      "${compiler[@]:1}" -std=c++20 -I "$simulator/include" -S -o /dev/null "$scratch/output.cpp"
  fi
}

# expect LINE WORDS SOURCE: the first error is at LINE, with WORDS in it or after it. LINE 0: no error.
expect() {
  local status=0 said first
  printf '#include <cuda_runtime.h>\n%b' "$3" >"$input"
  said=$(ask 2>&1) || status=$?
  first=$(grep -m1 ' error: ' <<<"$said") || true
  if [ "$1" -eq 0 ]; then
    [ "$status.$said" != 0. ] || return 0
  elif [ $status -eq 1 ] && [[ $first == "$input:$1:"* && $said == *"$2"* ]]; then
    return 0
  fi
  printf 'of %q it says, with status %s: %s\n' "$3" "$status" "$said"
  failures=$((failures + 1))
}

two='__global__ void kernel(int* d, int n) { *d = n; }\n'
deduced="template <typename T> ${two/int\*/T*}"
launch='kernel<<<1, 2>>>'
if [ ${#compiler[@]} -gt 1 ]; then
  expect 0 "" "${two}void f(int* d) { $launch(d, 1); }"
  expect 0 "" "${deduced}void f(int* d) { $launch(d, 1); }"
  expect 3 "kernel(int* d, int n)" "${two}void f(int* d) { $launch(d); }"
  expect 3 "kernel(int* d, int n)" "${two}void f(int* d) { $launch(d, 1, 2); }"
  expect 3 "kernel(int* d, int n)" "${two}void f(float* d) { $launch(d, 1); }"
  expect 3 "kernel" "${deduced}void f(int* d) { $launch(d); }"
  expect 3 "a launch needs a grid and a block" "${two}void f(int* d) { kernel<<<1>>>(d, 1); }"
  expect 3 "a launch needs a grid and a block" "${two}void f(int* d) { kernel<<<>>>(d, 1); }"
  expect 3 "kernel: a __global__ function must have a void return type" \
    "__global__ int kernel(int* d) { return *d; }\nvoid f(int* d) { $launch(d); }"
  exit $((failures > 0))
fi

one='__global__ void kernel(int* d) '
host='call to __host__ function from __global__ function'
expect 0 "" "${one}{ *d = 1; }\nvoid f(int* d) { $launch(d); }"
expect 3 "$host" "int square(int x) { return x * x; }\n$one{ *d = square(2); }"
expect 3 "$host" "constexpr int square(int x) { return x * x; }\n$one{ *d = square(2); }"
expect 3 "$host" "#include <cstdlib>\n$one{ *d = rand(); }"
expect 3 "device code cannot call the host's 'min', which is not a __device__ function (without std::, the name is CUDA's)" \
  "#include <algorithm>\n$one{ *d = std::min(*d, 2); }"
expect 3 "device code cannot call the host's 'square', which is not" "int square(int x) { return x * x; }\n$one{ *d = square(2); }"
expect 3 "$host" "#include <vector>\n$one{ std::vector<int> v(3); *d = v[2]; }"
expect 3 "reference to __host__ variable 'cout' in __global__ function" "#include <iostream>\n$one{ std::cout << 1; }"
expect 3 "cannot use 'throw' in __global__ function" "\n$one{ if (*d) throw 1; }"
expect 3 "cannot use 'throw' in __global__ function" "#include <stdexcept>\n$one{ throw std::runtime_error(\"\"); }"
expect 3 "call to __device__ function from __host__ function" "__device__ int two() { return 2; }\nint f() { return two(); }"
expect 2 "kernel function type 'int (int *)' must have void return type" "__global__ int kernel(int* d) { return *d; }"
expect 3 "kernel call to non-global function 'kernel'" "void kernel(int*) {}\nvoid f(int* d) { $launch(d); }"
expect 3 "reference to __host__ variable 'n' in __global__ function" "int n = 2;\n$one{ *d = n; }"
expect 3 "call to global function 'kernel' not configured" "$one{ *d = 1; }\nvoid f(int* d) { kernel(d); }"
expect 3 "too few arguments to function call, expected 2, have 1" "${two}void f(int* d) { $launch(d); }"
expect 3 "too many arguments to function call, expected 2, have 3" "${two}void f(int* d) { $launch(d, 1, 2); }"
expect 3 "cannot initialize a parameter of type 'int *' with an lvalue of type 'float *'" \
  "${two}void f(float* d) { $launch(d, 1); }"
expect 3 "requires 2 arguments, but 1 was provided" "${deduced}void f(int* d) { $launch(d); }"

# Code that a kernel may contain is accepted.
legal='
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>
const int three = 3;
constexpr float half = 0.5f;
__constant__ int table[three];
__device__ int counter;
struct Point {
    int x;
    __host__ __device__ explicit Point(int value) : x(value) {}
};
__device__ int twice(int x) { return 2 * x; }
template <typename T>
__host__ __device__ T square(T x) { return x * x; }
__global__ void __launch_bounds__(256) kernel(int* d, float* f, double* g, Point p) {
    __shared__ alignas(16) float words[4];
    __shared__ __align__(16) int more[4];
    extern __shared__ int dynamic[];
    const auto add = [=](int x) { return x + d[0]; };
    int x = add(three), y = std::move(x);
    dynamic[threadIdx.x] = more[0] = square(twice(table[1])) + p.x + y;
    words[threadIdx.x % 4] = half * sqrtf(f[0]) + std::sqrt(f[1]) + std::abs(f[2]) + powf(f[3], 2) + fminf(f[0], f[1]);
    g[0] = std::floor(g[1]) + sqrt(g[2]) + fmax(g[0], g[1]) + std::isnan(g[3]) + abs(d[1]) + std::abs(d[2]);
    assert(threadIdx.x < blockDim.x);
    memset(d, 0, 4);
    std::memcpy(d, more, sizeof(int));
    int* const cell = new int(2);
    new (cell) int(3);
    delete cell;
    int* const some = static_cast<int*>(malloc(12));
    free(some);
    __syncthreads();
    atomicAdd(&counter, __shfl_down_sync(0xffffffffu, dynamic[0], 1));
    if (*d < 0) printf("%d %f\\n", d[0], static_cast<double>(words[0]));
}
void f(int* d, std::vector<float> values) {
    std::sort(values.begin(), values.end());
    if (std::max(d[0], std::numeric_limits<int>::min()) > rand()) throw values.size();
    kernel<<<dim3(2, 2), 32, 128>>>(d, values.data(), nullptr, Point(square(2)));
}'
for standard in 17 20; do expect 0 "" "$legal"; done
# What clang 14 lacks of C++20, and an error beside it, which is still shown, alone.
lacks='struct Pair { int a, b; };
template <typename T> struct Both { T a, b; };
template <typename T> struct Wide { using Type = long long; };
template <typename T> __device__ Wide<T>::Type wide(T x) { return x; }
__global__ void kernel(int* d) {
    const Pair pair(1, 2);
    const auto& [a, b] = pair;
    const Both both{a, b};
    const auto sum = [&] { return a + b; };
    d[0] = sum() + both.a + static_cast<int>(wide(d[1]));
}'
expect 0 "" "$lacks"
expect 14 "reference to __host__ variable 'n'" "$lacks\nint n = 2;\n__global__ void more(int* d) { *d = n; }"
expect 3 "device code cannot call the host's 'const Pair'" \
  "struct Pair { int a; Pair(int x, int) : a(x) {} };\n$one{ const Pair pair(1, 2); *d = pair.a; }"
expect 0 "" "${one}{ *d = 1; }\nmain() { int n = 2, v[n] = {1}; return v[1]; }"
expect 2 "variable-length" "__global__ void kernel(int* d) { int v[*d] = {1}; *d = v[0]; }"
exit $((failures > 0))
