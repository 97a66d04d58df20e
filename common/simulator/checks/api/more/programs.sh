#!/usr/bin/env bash
# Checks that programs from outside the course run, and the messages about those that can't: programs.sh BUILD
set -Eeuo pipefail
build=$1
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
program=$(realpath "$here/../../../../../tools/course/program.py")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'echo "line $LINENO ends with status $?: $BASH_COMMAND"' ERR
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"  # ./course test sets it, too
failures=0
complain() {
  printf '%s\n' "$*"
  failures=$((failures + 1))
}

for file in "$here"/*.cu; do
  if ! executable=$("$program" "$build" "$file" 2>"$scratch/said") || ! CUDA_SIM_STRICT=1 "$executable"; then complain "${file##*/} fails"; fi
  if [ -s "$scratch/said" ]; then complain "of ${file##*/}, compilers say: $(cat "$scratch/said")"; fi
done

# refuses WORDS SOURCE: SOURCE does not compile, and the message has the file's name before WORDS.
refuses() {
  local said
  printf '%b' "$2" >"$scratch/rejected.cu"
  if said=$("$program" "$build" "$scratch/rejected.cu" 2>&1) || [[ $said != *"$scratch/rejected.cu:"$1* ]]; then
    complain "for $2, it says: $said"
  fi
}
refuses "3: error: the simulator has no Thrust" '\n#include <thrust/sort.h>\nusing namespace thrust;\nint main() {}'
refuses "4: error: the simulator has no Thrust" '#ifdef SOME_GPU\nvoid f() { thrust::sort(); }\n#endif\nvoid g() { thrust::sort(); }'
refuses "2: error: the simulator has no cuBLAS" '#include <cublas_v2.h>\nint main() { cublasHandle_t handle; cublasCreate(&handle); }'
refuses "1: error: the simulator has no cuda/barrier (libcu++)" '#include <cuda/barrier>\nint main() {}'
# lacks LINE NAME SOURCE: the message names NAME, which the simulator lacks, in the same form with every compiler.
lacks() {
  local said
  printf '%b' "$3" >"$scratch/rejected.cu"
  said=$("$program" "$build" "$scratch/rejected.cu" 2>&1) || true
  [[ $said =~ ^"$scratch/rejected.cu:$1: error: the simulator lacks "$2[?]?($|$'\n') ]] || complain "for $3, it says: $said"
}
lacks 2 cudaFoo '\nint main() { int i = cudaFoo(1) + undefined; }'
# Clang makes no suggestion if a function has several overloads.
grep -q '^CMAKE_CXX_COMPILER:.*clang' "$build/CMakeCache.txt" ||
  lacks 1 "cudaMemcopy; did you mean cudaMemcpy" 'int main() { cudaMemcopy(nullptr, nullptr, 1); }'
lacks 1 cudaFoo_t 'cudaFoo_t f;\nint main() { cudaFoo_t* g = &f; }'
lacks 1 __foo_sync '__global__ void k() { __foo_sync(); }\nint main() {}'
lacks 1 cudaDeviceProp::foo 'int main() { return cudaDeviceProp{}.foo; }'
lacks 3 "(cg|cooperative_groups)::this_foo" '#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__global__ void k() { cg::this_foo(); }'
lacks 3 "cg::tiled_partition for more than 32 threads" '#include <cooperative_groups.h>
namespace cg = cooperative_groups;\n__global__ void k() { auto tile = cg::tiled_partition<64>(cg::this_thread_block()); tile.sync(); }'
refuses "2*the simulator has no inline PTX" '__global__ void k() {\n  asm("exit;"); }\nint main() {}'
refuses "4*the simulator has no textures" '#if 0\n tex1D();\n#else\ncudaArray_t array;\n#endif'
refuses "1*atomicSub" '__global__ void k(float* p) { atomicSub(p, 1.0f); }\nint main() {}'
refuses "2*missing" 'int main() {\n  missing();\n}'
refuses "1: error: there is no kernel before <<<" '<<<1, 2>>>();'
# A missing feature is named once, without the compiler's messages about its names.
printf '\nint main() { int z = 0; return cuInit(0); }' >"$scratch/rejected.cu"
said=$("$program" "$build" "$scratch/rejected.cu" 2>&1) || true
[ "$said" = "$scratch/rejected.cu:2: error: the simulator has no driver API: this program needs a GPU" ] || complain "for cuInit, it says: $said"
# As with nvcc, a program must itself include the headers of the C++ library that it uses: they take longest to compile.
refuses "2:*rejected.cu:3:*rejected.cu:4:*rejected.cu:5:*rejected.cu:6:" '#include <curand.h>
std::function<void()> f;\nstd::map<int, int> m;\nstd::string s;\nstd::vector<int> v;\nstd::unique_ptr<int> p;\nint main() {}'

# A program may include headers of features that it does not use, and name types of cuBLAS in an unused macro.
printf '#include <cublas_v2.h>\n#include <curand_kernel.h>\n#include <mma.h>\nhalf h;\n#include <thrust/sort.h>\n#include "cudnn_not.h"
#define CHECKED(call) do { cublasStatus_t status = call; if (status != CUBLAS_STATUS_SUCCESS) return 1; } while (0)
int main() { curandGenerator_t generator; return curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT) + kOwn; }' >"$scratch/unused.cu"
echo 'const int kOwn = 0;' >"$scratch/cudnn_not.h"
if ! executable=$("$program" "$build" "$scratch/unused.cu" 2>"$scratch/said") || ! "$executable" || [ -s "$scratch/said" ]; then
  complain "with unused headers: $(cat "$scratch/said")"
fi

# If the program ends without waiting for a kernel, the kernel's output is lost; in a stream, it does not run at all.
printing='__global__ void say() { printf("hi "); }\n__global__ void quiet() {}\nint main() {\n  int a = 0, *d;\n  cudaStream_t s; cudaMalloc(&d, 4); cudaMemset(d, 0, 4);\n  %s\n}'
# ends STATUS WORDS STATEMENTS: with CUDA_SIM_STRICT, the program prints exactly WORDS and ends with STATUS.
ends() {
  local built said status=0
  # shellcheck disable=SC2059 # a format
  printf "$printing" "$3" >"$scratch/printing.cu"
  built=$("$program" "$build" "$scratch/printing.cu")
  said=$(CUDA_SIM_STRICT=1 "$built" 2>&1) || status=$?
  [ "$status:$said" = "$1:$2" ] || complain "for $3, it says ($status): $said"
}
lost="simulator: say (launched at $scratch/printing.cu:6) prints, but the program ends without waiting for it: on a GPU, the output is lost. Call cudaDeviceSynchronize() before the end"
ends 1 "$lost
hi " "say<<<1, 1>>>();"
ends 1 "$lost
hi hi " "say<<<1, 1>>>(); cudaDeviceSynchronize(); say<<<1, 1>>>(); cudaMemset(d, 0, 4); quiet<<<1, 1>>>();"
ends 0 "hi " "say<<<1, 1>>>(); cudaMemcpy(&a, d, 4, cudaMemcpyDeviceToHost); quiet<<<1, 1>>>();"
ends 0 "hi hi " "say<<<1, 1>>>(); cudaStreamCreate(&s); say<<<1, 1, 0, s>>>(); cudaDeviceReset();"
ends 0 "simulator: say in stream 1 ($scratch/printing.cu:6) has not run: the program ends without waiting for it" \
  "cudaStreamCreate(&s); say<<<1, 1, 0, s>>>(); cudaStreamDestroy(s);"

# A program that nvcc would reject still runs, and each build prints clang's error.
if grep -q '^COURSE_CLANG:INTERNAL=TRUE' "$build/CMakeCache.txt"; then
  printf '#include <algorithm>\n__global__ void k(int* p) { *p = std::min(1, 2); }\nint main() {}' >"$scratch/warned.cu"
  for _ in 1 2; do
    said=$("$program" "$build" "$scratch/warned.cu" 2>&1)
    [[ $said == *"$scratch/warned.cu:2:34: error: "*"nvcc would reject this"*"/program" ]] ||
      complain "for std::min in a kernel, it says: $said"
  done
fi

# undefined NUMBER WORDS: mistake NUMBER in shuffles.cu is reported with WORDS; shuffles.cu fails only with CUDA_SIM_STRICT.
undefined() {
  local said status=0 strict=0
  said=$("$shuffles" "$1" 2>&1) || status=$?
  CUDA_SIM_STRICT=1 "$shuffles" "$1" >/dev/null 2>&1 || strict=$?
  [[ "$status:$strict:$said" = "0:1:simulator: "*" gets an undefined "$2* ]] || complain "for mistake $1 in shuffles.cu, it says: $status:$strict:$said"
  [ "$(grep -c simulator: <<<"$said")" = 1 ] || complain "mistake $1 in shuffles.cu is told several times: $said"
}
shuffles=$("$program" "$build" "$here/shuffles.cu")
undefined 1 "v from __shfl_down_sync at $here/shuffles.cu:7: it reads lane 16, which is not in the mask 0x1. "
undefined 2 "v from __shfl_xor_sync at $here/shuffles.cu:*: it reads lane 16, which does not exist: the block has only 80 threads. "
undefined 3 "v from __shfl_xor_sync at $here/shuffles.cu:*: it reads lane 16, which does not exist: the block has only 80 threads. "
undefined 4 "most from __shfl_down_sync at $here/shuffles.cu:*: it uses the value of lane 12, which reads lane 28, which has returned. "
undefined 5 "v from __shfl_sync at $here/shuffles.cu:*: it reads lane 0, which has returned. "
undefined 6 "sum.y from __shfl_up_sync at $here/shuffles.cu:*: it reads lane 15, which has returned. "
if grep -q '^COURSE_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
  for mistake in "7:0xA5A5A5A5 at :-1515870811 * 3" "8:0xA5A5A5A5 + 7 at :-1515870804 * 3"; do
    IFS=: read -r number poison overflow <<<"$mistake"
    said=$("$shuffles" "$number" 2>&1) || true
    [[ $said == *"simulator: $poison"*" comes from memory that was never written, or from "*"runtime error: signed integer overflow: $overflow "* ]] ||
      complain "for arithmetic on what was never written, it says: $said"
  done
  # AddressSanitizer completes a report, during which the timer ticks and blocks still have to begin. It holds its locks
  # when it calls __asan_on_error.
  cat >"$scratch/reported.cu" <<'END'
#include <chrono>
extern "C" void __asan_on_error() {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(200)) {}
}
__global__ void k(int* p) { int a[2] = {1, 2}, * volatile at = a; *p = at[3]; }
int main() { int* p; cudaMalloc(&p, 4); k<<<64, 1>>>(p); }
END
  executable=$("$program" "$build" "$scratch/reported.cu")
  status=0
  said=$(CUDA_SIM_WORKERS=1 timeout 30 "$executable" 2>&1) || status=$?
  [[ $status:$said = "1:"*"SUMMARY: AddressSanitizer: stack-buffer-overflow $scratch/reported.cu:6"* ]] ||
    complain "for an overflow on the stack, the status is $status, and it says: $said"
fi

# Warnings name a function as the program declares it.
printf '__device__ int todo(volatile int* s) {}\nint main() {}' >"$scratch/todo.cu"
said=$("$program" "$build" "$scratch/todo.cu" 2>&1)
[[ $said == *"todo.cu:1:"*"warning: "* && $said != *"In function"*sim::* ]] || complain "for a missing return, it says: $said"

# nvcc accepts an array's size that is computed from floating-point constants, and clang++ does not. nvcc rejects a variable size.
if grep -q '^COURSE_CLANG:INTERNAL=TRUE' "$build/CMakeCache.txt" && ! grep -q '^CMAKE_CXX_COMPILER:.*clang' "$build/CMakeCache.txt"; then
  kernel='__global__ void k(int* p, int n) {\n  const double q = 1.5;\n  __shared__ int s[(int)(q * 4)];\n  int a[(int)q], b[SIZE];
  s[threadIdx.x] = a[0] = b[0] = n;\n  *p = s[threadIdx.x] + a[0] + b[0];\n}\nint main() {}'
  printf '%b' "$kernel" >"$scratch/sized.cu"
  said=$("$program" "$build" "$scratch/sized.cu" -DSIZE=2 2>&1) || true
  [[ $said != *error* ]] || complain "for a constant size, it says: $said"
  said=$("$program" "$build" "$scratch/sized.cu" -DSIZE=n 2>&1) || true
  [[ $said == *"$scratch/sized.cu:4:"*"nvcc would reject this"* && $said != *"sized.cu:3:"*error* ]] || complain "for a variable size, it says: $said"
fi

# clang reports host code that reads or writes device variables, and no other use of such variables.
if grep -q '^COURSE_CLANG:INTERNAL=TRUE' "$build/CMakeCache.txt"; then
  printf '__device__ int count, table[4]; __device__ struct { int n; } one; __constant__ const int two = 2; __managed__ __device__ int three;
template <typename T> void upload(T& to, const T& from) { cudaMemcpyToSymbol(to, &from, sizeof to); }
__host__ __device__ int either() { return count; }
__global__ void k(int* p) { auto f = [&](int i) { return count + i; }; auto g = [&] { return table[1]; }; *p = f(1) + g() + either(); }
template <typename F> __global__ void call(F f, int* p) { *p = f(); }
int main() {
  int n = two + three, *p;
  upload(count, n); cudaMemcpyFromSymbol(&n, table, sizeof(int), sizeof table[0]); cudaGetSymbolAddress((void**)&p, count);
  k<<<1, 1>>>(p); call<<<1, 1>>>([=] __device__ { return count; }, p);
#ifdef BAD
  count = n;
  n = table[1];
#endif
}' >"$scratch/variables.cu"
  said=$("$program" "$build" "$scratch/variables.cu" 2>&1)
  [[ $said != *error* ]] || complain "for a right use of device variables, it says: $said"
  said=$("$program" "$build" "$scratch/variables.cu" -DBAD 2>&1)
  [[ $said == "$scratch/variables.cu:11:3: error: the host writes the device variable 'count', but kernels do not see that: use cudaMemcpyToSymbol
"*"$scratch/variables.cu:12:7: error: the host reads the device variable 'table', but its value is on the GPU: use cudaMemcpyFromSymbol
"*"/program" && $said != *"would reject"* ]] || complain "for a wrong use of device variables, it says: $said"
fi

# What nvcc accepts and stricter compilers don't: a byte order mark; blanks in <<< and >>>, and after a backslash at a
# line's end; a backslash before a comment; and an array's size from ceil, except with clang, whose ceil is not constant.
size="(int)ceil(48 / 32.0) * 32"
if grep -q '^CMAKE_CXX_COMPILER:.*clang' "$build/CMakeCache.txt"; then size=64; fi
printf '\xef\xbb\xbf#define LAUNCH(grid, block) \\  \n  << <grid, block >> >
__global__ void k(int* p) {
  const int n = %s;
  __shared__ int s[n];
  s[threadIdx.x] = 3 + \\ // first
    threadIdx.x;
  __syncthreads();
  *p = s[n - 1];
}
int main() {
  int* p;
  cudaMallocManaged(&p, 4);
  k << <1, 64 >> > (p);
  k << <dim3(1),
        64 >> >(p);
  k LAUNCH(1, 64)(p);
  return cudaDeviceSynchronize() == 0 && *p == 66 ? 0 : 1;
}' "$size" >"$scratch/lax.cu"
if ! executable=$("$program" "$build" "$scratch/lax.cu" 2>"$scratch/said") || ! "$executable"; then complain "lax.cu fails"; fi
if grep -v 'backslash\|^ \|^#define LAUNCH\|^1 warning generated' "$scratch/said"; then complain "of lax.cu, compilers say more than of a backslash"; fi

# A folder and a file may have any name; headers beside the file are translated; the status is the program's.
# shellcheck disable=SC2089 # a name has quotes
folder="$scratch/a b;\$(c)#'\"&"
mkdir -p "$folder/lib"
printf '#include "lib/k.cuh"\nint main(int, char** v) { say<<<1, 2>>>(); return cudaDeviceSynchronize() == 0 && v[1][1] == 0 ? 7 : 1; }' \
  >"$folder/d\"e.cu"
printf '#pragma once\n#include "../l.h"\n__global__ void say() { __shared__ int s[4]; s[0] = 1; printf(WORD); }' >"$folder/lib/k.cuh"
echo '#define WORD "hi "' >"$folder/l.h"
status=0
said=$(cd "$folder" && "$("$program" "$build" 'd"e.cu')" x) || status=$?
[ "$status:$said" = "7:hi hi " ] || complain "in a folder with signs: $status:$said"
echo '#define WORD "ho "' >"$folder/l.h"
said=$("$("$program" "$build" "$folder/d\"e.cu")" x) || true
[ "$said" = "ho ho " ] || complain "after a change of a header: $said"

# Several files share device variables and functions, as with nvcc -rdc=true. C++ files contain host code only.
many="$folder/ma ny" include="$folder/in'cl"
mkdir -p "$many" "$include"
printf 'extern __device__ int counter;\nextern __constant__ float table[2];\n__device__ float look(int i);\n__global__ void use(float*);\n' >"$many/shared.cuh"
printf '#include "shared.cuh"\n__device__ int counter = N;\n__constant__ float table[2];
__device__ float look(int i) { atomicAdd(&counter, 1); return table[i]; }' >"$many/d\$e.cu"
printf '#include "shared.cuh"\n__global__ void use(float* o) { o[threadIdx.x] = look(threadIdx.x); }' >"$many/use.cu"
printf '__global__ void add(float* o) { __shared__ float s; s = 10; *o += s; }' >"$include/add.cuh"
printf '#ifdef __CUDACC__\n#error\n#endif\n#include <omp.h>\n#include <cuda_runtime.h>
int threads() { int n = 0; asm("nop");\n#pragma omp parallel num_threads(3)\n#pragma omp atomic\nn += cudaFree(nullptr) + 1;\nreturn n; }' >"$many/-host.cpp"
printf '#include "shared.cuh"\n#include <add.cuh>\nint threads();
int main() {
  float h[2] = {1, 2}, *o;
  int n = 0;
  cudaMemcpyToSymbol(table, h, 8);
  cudaMallocManaged(&o, 8);
  use<<<1, X>>>(o);
  add<<<1, 1>>>(o);
  cudaMemcpyFromSymbol(&n, counter, 4);
  printf("%%g %%g %%d %%d", o[0], o[1], n, threads());
}' >"$many/main.cu"
several() { (cd "$many" && "$program" "$build" "$@" -I "$include" -D N=5 -DX=2 -Xcompiler -fopenmp 2>&1); }
all=(main.cu "$many/d\$e.cu" ./use.cu ./-host.cpp)
if said=$(several "${all[@]}"); then said=$("$said"); fi
[ "$said" = "11 2 7 3" ] || complain "several files print: ${said::300}"
# explained WORDS COMMAND...: the build prints only WORDS. Linkers differ in the order, and in which lines they know.
plain() { sed -E 's/^([^:]+):[0-9]+: error: /\1: error: /; s/ (defined in [^:]+):[0-9]+:/ \1:/' | sort; }
explained() {
  local said
  if said=$("${@:2}") || [ "$(plain <<<"$said")" != "$(plain <<<"$1")" ]; then complain "${*:2} says: ${said::300}"; fi
}
explained "main.cu:9: error: undefined reference to use(float*): use.cu defines it: name that file, too
main.cu: error: undefined reference to table: d\$e.cu defines it: name that file, too
main.cu: error: undefined reference to counter: d\$e.cu defines it: name that file, too
main.cu:12: error: undefined reference to threads(): -host.cpp defines it: name that file, too" several main.cu
explained "course: none of the program's files defines main(), but $many/main.cu does: name that file, too" several "$many/d\$e.cu"
printf '__constant__ float c[2];\nint main() {}' >"$many/one.cu"
printf '__global__ void missing();\n__constant__ float c[2];\nint main() { missing<<<1, 1>>>(); }' >"$many/two.cu"
explained "two.cu:3: error: undefined reference to missing(): no file of the program defines it
two.cu:3: error: main is also defined in one.cu:2: name only the files of one program
two.cu:2: error: c is also defined in one.cu:1: define it in one file, and declare it (extern) in the others" \
  several one.cu two.cu
printf '#include <omp.h>\nint main() { return omp_get_thread_num(); }' >"$many/omp.cu"
# shellcheck disable=SC2016 # the inner shell expands it
explained "omp.cu:2: error: undefined reference to omp_get_thread_num: OpenMP needs -Xcompiler -fopenmp" \
  env -C "$many" bash -c '"$1" "$2" omp.cu 2>&1' - "$program" "$build"
printf '\n#include <cublas_v2.h>\nint main() { cublasInit(); }' >"$many/blas.cpp"
[[ $(several blas.cpp) == "blas.cpp:3: error: "*"the simulator has no cuBLAS"* ]] || complain "a C++ file may use cuBLAS"
# nvcc passes names to a shell, so names with a meaning for the shell are rejected.
for words in "-I\$a" "-D\`a" "-Xcompiler=a;b" "$many/d\$e.cu"; do
  if said=$("$program" gpu "$scratch/rejected.cu" "$words" 2>&1) || [[ $said != "nvcc would pass "* ]]; then
    complain "with $words, nvcc gets a name that a shell changes: $said"
  fi
done

# fails WORDS SOURCE: the simulator stops the program, and its message contains WORDS.
fails() {
  local said
  printf '%b' "$2" >"$scratch/failing.cu"
  said=$("$("$program" "$build" "$scratch/failing.cu" 2>/dev/null)" 2>&1) || true
  [[ $said == *"$1"* && $said != *AddressSanitizer* ]] || complain "for $2, it says: $said"
}
# unseen WORDS STATEMENTS: the program ignores an error. The message contains WORDS; with CUDA_SIM_STRICT, the program fails. If WORDS
# is empty, there is no message, and the program does not fail.
unseen() {
  local built said strict=0
  printf '#include <cstdio>\n__global__ void k(int* p) { *p = 1; }\nint main() {\n int host[2] = {}, *device; cudaMalloc(&device, 8);\n%b\n}' "$2" \
    >"$scratch/unseen.cu"
  built=$("$program" "$build" "$scratch/unseen.cu")
  said=$("$built" 2>&1) || complain "of $2: the status is $?"
  CUDA_SIM_STRICT=1 "$built" >"$scratch/said" 2>&1 || strict=$?
  case ${1:+words} in
    words) [[ $said == *"$scratch/unseen.cu:5 failed: $1, and the program does not check for errors"* && $strict = 1 ]] || complain "for $2, it says: $said ($strict)" ;;
    *) [ "$said:$strict" = ":0" ] || complain "for $2, it says: $said ($strict)" ;;
  esac
}
unseen "invalid argument (gridDim.y is 65536, but must be from 1 to 65535)" "k<<<dim3(1, 65536), 1>>>(device);"
unseen "invalid argument (a block of 2048 threads, but at most 1024 are allowed)" "k<<<1, dim3(2, 1024)>>>(device);"
unseen "invalid argument (65536 bytes of dynamic shared memory, but the kernel may use at most 49152 unless cudaFuncSetAttribute allows more)" \
  "k<<<1, 1, 65536>>>(device);"
unseen "invalid argument (the destination is not in device memory)" "cudaMemcpy(host, device, 8, cudaMemcpyHostToDevice);"
unseen "invalid argument (the source's 12 bytes begin at byte 0 of a buffer of 8 bytes allocated at $scratch/unseen.cu:4)" \
  "if (device != nullptr) cudaMemcpy(host, device, 12, cudaMemcpyDeviceToHost);"
unseen "" "k<<<0, 1>>>(device);\nif (cudaGetLastError() == cudaSuccess) return 1;"
unseen "" "if (cudaMemset(device, 0, 9) == cudaSuccess) return 1; const cudaError_t e = cudaFree(host); if (e == cudaSuccess) return 1;"
unseen "" "(void)cudaFree(host);"
# Two dynamic shared arrays are the same memory, which matters only if one function uses both.
arrays='extern __shared__ int a[];\n__global__ void one(int* p) { p[0] = a[0]; }\n__global__ void both(int* p) {
  extern __shared__ float b[];\n  struct { int a; } s{};\n  p[0] = b[0] + s.a OTHER;\n}\nint main() {}'
for other in "+ a[1]" ""; do
  printf '%b' "${arrays/OTHER/$other}" >"$scratch/arrays.cu"
  said=$("$program" "$build" "$scratch/arrays.cu" 2>&1) || true
  told=
  if [[ $said == *"$scratch/arrays.cu:6:"*"b and a are the same memory: "* ]]; then told=yes; fi
  [ "${told:+yes}" = "${other:+yes}" ] || complain "for two dynamic arrays, it says: $said"
done
# Copied poison is reported, unless the program itself stored these bytes, or they may be a grey pixel of an image.
unseen "" "cudaMemset(device, 0xA3, 2); cudaMemcpy(host, device, 8, cudaMemcpyDeviceToHost);"
unseen "" "cudaMemset(device, 0xA5, 8); cudaMemcpy(host, device, 8, cudaMemcpyDeviceToHost);"
unseen "" "host[1] = 0xA5A5A5A5; cudaMemcpy(device, host, 8, cudaMemcpyHostToDevice); cudaMemcpy(host, device, 8, cudaMemcpyDeviceToHost);"
fails "$scratch/failing.cu:1 copies 0xA5A5A5A5 to the host, from byte 4 of a buffer of 8 bytes allocated at $scratch/failing.cu:1: this number comes from memory that was never written, or from a lane" \
  'int main() { int host[2], *device; cudaMalloc(&device, 8); cudaMemset(device, 0, 4); cudaMemcpy(host, device, 8, cudaMemcpyDeviceToHost); }'
unseen "" "#define cudaDo(x) do { (void)(x); } while (0)\ncudaDo(1); struct cudaThing { cudaThing(); };\nvoid cudaSay(int);\nif (host[0] == 1) cudaSay(2);"

grep -q '^COURSE_SANITIZE:BOOL=ON' "$build/CMakeCache.txt" ||  # AddressSanitizer has a message of its own
  fails "thread (0, 0, 0) reaches the end of the function at $scratch/failing.cu:1 without returning a value" \
    '__device__ int todo() {}\n__global__ void k(int* p) { *p = todo(); }\nint main() { int* p; cudaMalloc(&p, 4); k<<<1, 2>>>(p); }'
fails "more than 24 levels deep" '__global__ void k() { k<<<1, 1>>>(); }\nint main() { k<<<1, 1>>>(); }'
fails "was not launched by cudaLaunchCooperativeKernel" '#include <cooperative_groups.h>
__global__ void k() { cooperative_groups::this_grid().sync(); }\nint main() { k<<<2, 1>>>(); }'
grep -q '^COURSE_SANITIZE:BOOL=ON' "$build/CMakeCache.txt" ||
  fails "d_cells[2], the byte right past the end of" '#include <cooperative_groups.h>
__global__ void k(int n, int* d_cells) { d_cells[n] = 1; }
int main() {
  int n = 2, *p; cudaMalloc(&p, 8);
  void* all[] = {&n, &p};
  cudaLaunchCooperativeKernel((void*)k, 1, 1, all, 0, nullptr);
}'
fails "invalid argument (gridDim.x is 0, but must be from 1 to 2147483647)|invalid argument|" '#include <cstdio>
__global__ void k() {}
int main() {
  k<<<0, 64>>>(); std::fprintf(stderr, "%s|", cudaGetErrorString(cudaGetLastError()));
  cudaFree(nullptr); std::fprintf(stderr, "%s|", cudaGetErrorString(cudaErrorInvalidValue));
}'
fails "block (1, 0, 0) has ended" '#include <cooperative_groups.h>
__global__ void k() { if (blockIdx.x != 1) cooperative_groups::this_grid().sync(); }
int main() { cudaLaunchCooperativeKernel((void*)k, 4, 64, nullptr, 0, nullptr); }'
CUDA_SIM_TIMEOUT=1 CUDA_SIM_WORKERS=4 fails "makes no progress" '#include <cstdio> // the C library has a lock
extern "C" __device__ int __printf_chk(int, const char*, ...); // this is printf on Ubuntu
__global__ void k() {
  for (;;) printf("%u", blockIdx.x), printf("line\\n"), printf("\\n"), __printf_chk(1, "%u", blockIdx.x);
}
int main() {
  if (std::freopen("/dev/null", "w", stdout) == nullptr) return 1;
  k<<<64, 64>>>();
  cudaDeviceSynchronize();
  std::printf("and the program goes on\\n");
}'
fails " reads: no event or wait orders it and this kernel in the default stream" '__global__ void k(int* p) { *p = 1; }
int main() {
  int *a, *p;
  cudaMallocHost(&a, 4); cudaMalloc(&p, 4);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  k<<<1, 1>>>(p);
  cudaMemcpyAsync(a, p, 4, cudaMemcpyDeviceToHost, s);
  cudaDeviceSynchronize();
}'
fails "cudaMemcpyAsync in stream 1 (" 'int main() { // without device memory
  int *a, *b;
  cudaMallocHost(&a, 4); cudaMallocHost(&b, 4);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(b, a, 4, cudaMemcpyHostToHost, s);
  *b = *a;
}'
printf '__global__ void k(volatile float* p) {
  __shared__ volatile double s[1];
  p[0] = 1.5f;
  s[0] = p[0] + 1;
  printf("%%s %%d %%g %%g", "a", 7, p[0], s[0]);
}
int main() { float* p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); return cudaDeviceSynchronize(); }' >"$scratch/volatile.cu"
said=$("$("$program" "$build" "$scratch/volatile.cu")") || true
[ "$said" = "a 7 1.5 2.5" ] || complain "volatile numbers are printed as $said"
# A host that polls volatile memory need not wait for the kernel.
fails "host code at $scratch/failing.cu:1 uses byte 0 of a buffer" 'int main() { int* p; cudaMalloc(&p, 4); *p = 1; }'
managed='__managed__ int other = 3, total;\n__global__ void add() { total += other; }\nint main() { add<<<1, 1>>>(); return total - 3; }'
fails "uses the managed variable total, which add (launched at $scratch/failing.cu:3) writes: the host has not waited for it" "$managed"
printf '%b' "${managed/int/volatile int}" >"$scratch/polling.cu"
if ! executable=$("$program" "$build" "$scratch/polling.cu") || ! "$executable"; then complain "a host that polls is told to wait"; fi

# limited WORDS STATEMENTS: after STATEMENTS, an ordinary grid runs with fewer threads than there are workers, and a
# cooperative grid fails with WORDS. A sanitizer would end such a program.
limited() {
  grep -q '^COURSE_SANITIZE:BOOL=ON' "$build/CMakeCache.txt" || CUDA_SIM_WORKERS=20 fails "$1" "
#include <cooperative_groups.h>\n#include <pthread.h>\n#include <sys/resource.h>
__global__ void count(int* n) { atomicAdd(n, 1); }
__global__ void meet() { cooperative_groups::this_grid().sync(); }
int main() {
  int* n;
  cudaMallocManaged(&n, sizeof(int));
  *n = 0;
  $2
  count<<<1000, 64>>>(n);
  cudaDeviceSynchronize();
  if (*n == 64000) cudaLaunchCooperativeKernel((void*)meet, 64, 1, nullptr, 0, nullptr);
}"
}
limited "only 1 of 64 could be started" "pthread_attr_t huge; // stacks of 128 TiB
  pthread_attr_init(&huge); pthread_attr_setstacksize(&huge, size_t{1} << 47); pthread_setattr_default_np(&huge);"
limited "only 1 of 64 could be started" "rlimit little{1 << 30, 1 << 30}; setrlimit(RLIMIT_AS, &little);"
limited "no memory for the stacks of a block's threads" "rlimit little{1 << 29, 1 << 29}; setrlimit(RLIMIT_AS, &little);"
exit $((failures > 0))
