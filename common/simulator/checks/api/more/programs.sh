#!/usr/bin/env bash
# Checks that programs which are not the course's run, and what is said of those that can't: programs.sh BUILD
set -euo pipefail
build=$1
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
program=$here/../../../../../tools/course/program.py
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
complain() {
  printf '%s\n' "$*"
  failures=$((failures + 1))
}

for file in "$here"/*.cu; do
  if ! executable=$("$program" "$build" "$file" 2>"$scratch/said") || ! "$executable"; then complain "${file##*/} fails"; fi
  if [ -s "$scratch/said" ]; then complain "of ${file##*/}, compilers say: $(cat "$scratch/said")"; fi
done

# refuses WORDS SOURCE: does not compile, with the file's name before these words.
refuses() {
  local said
  printf '%b' "$2" >"$scratch/rejected.cu"
  if said=$("$program" "$build" "$scratch/rejected.cu" 2>&1) || [[ $said != *"$scratch/rejected.cu:"$1* ]]; then
    complain "of $2 it says: $said"
  fi
}
refuses "2*the simulator has no Thrust" '\n#include <thrust/sort.h>\nint main() {}'
refuses "2*the simulator has no inline PTX" '__global__ void k() {\n  asm("exit;"); }\nint main() {}'
refuses "4*the simulator has no textures" '#if 0\n tex1D();\n#else\ncudaArray_t array;\n#endif'
refuses "1*atomicSub" '__global__ void k(float* p) { atomicSub(p, 1.0f); }\nint main() {}'
refuses "2*missing" 'int main() {\n  missing();\n}'
refuses "1: error: there is no kernel before <<<" '<<<1, 2>>>();'

# What nvcc would reject runs, and clang says so each time.
if grep -q '^COURSE_CLANG:INTERNAL=TRUE' "$build/CMakeCache.txt"; then
  printf '#include <algorithm>\n__global__ void k(int* p) { *p = std::min(1, 2); }\nint main() {}' >"$scratch/warned.cu"
  for _ in 1 2; do
    said=$("$program" "$build" "$scratch/warned.cu" 2>&1)
    [[ $said == *"$scratch/warned.cu:2:34: error: "*"nvcc would reject this"*"/program" ]] ||
      complain "of std::min in a kernel it says: $said"
  done
fi

# A folder and a file may have any name; headers beside the file are translated; the status is the program's.
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

# fails WORDS SOURCE: a program that the simulator stops, with these words.
fails() {
  local said
  printf '%b' "$2" >"$scratch/failing.cu"
  said=$("$("$program" "$build" "$scratch/failing.cu")" 2>&1) || true
  [[ $said == *"$1"* ]] || complain "of $2 it says: $said"
}
# unseen WORDS STATEMENTS: a program that does not look at an error. It is told so, and fails if CUDA_SIM_STRICT is set.
unseen() {
  local built said strict=0
  printf '#include <cstdio>\n__global__ void k(int* p) { *p = 1; }\nint main() {\n int host[2] = {}, *device; cudaMalloc(&device, 8);\n%b\n}' "$2" \
    >"$scratch/unseen.cu"
  built=$("$program" "$build" "$scratch/unseen.cu")
  said=$("$built" 2>&1) || complain "of $2: the status is $?"
  CUDA_SIM_STRICT=1 "$built" >"$scratch/said" 2>&1 || strict=$?
  case ${1:+words} in
    words) [[ $said == *"$scratch/unseen.cu:5 failed: $1, and the program did not look"* && $strict = 1 ]] || complain "of $2 it says: $said ($strict)" ;;
    *) [ "$said:$strict" = ":0" ] || complain "of $2 it says: $said ($strict)" ;;
  esac
}
unseen "invalid argument (gridDim.y is 65536, allowed are 1 to 65535)" "k<<<dim3(1, 65536), 1>>>(device);"
unseen "invalid argument (a block of 2048 threads, at most 1024 are allowed)" "k<<<1, dim3(2, 1024)>>>(device);"
unseen "invalid argument (65536 bytes of dynamic shared memory, the kernel may have 49152 unless cudaFuncSetAttribute allows more)" \
  "k<<<1, 1, 65536>>>(device);"
unseen "invalid argument (the target is not in device memory)" "cudaMemcpy(host, device, 8, cudaMemcpyHostToDevice);"
unseen "invalid argument (the source's 12 bytes begin at byte 0 of a buffer of 8 bytes allocated at $scratch/unseen.cu:4)" \
  "if (device != nullptr) cudaMemcpy(host, device, 12, cudaMemcpyDeviceToHost);"
unseen "" "k<<<0, 1>>>(device);\nif (cudaGetLastError() == cudaSuccess) return 1;"
unseen "" "if (cudaMemset(device, 0, 9) == cudaSuccess) return 1; const cudaError_t e = cudaFree(host); if (e == cudaSuccess) return 1;"
unseen "" "(void)cudaFree(host);"
unseen "" "#define cudaDo(x) do { (void)(x); } while (0)\ncudaDo(1); struct cudaThing { cudaThing(); };\nvoid cudaSay(int);\nif (host[0] == 1) cudaSay(2);"

fails "more than 24 levels deep" '__global__ void k() { k<<<1, 1>>>(); }\nint main() { k<<<1, 1>>>(); }'
fails "cudaLaunchCooperativeKernel has not launched" '#include <cooperative_groups.h>
__global__ void k() { cooperative_groups::this_grid().sync(); }\nint main() { k<<<2, 1>>>(); }'
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
fails "cudaMemcpyAsync in stream 1 (" 'int main() { // without device memory
  int *a, *b;
  cudaMallocHost(&a, 4); cudaMallocHost(&b, 4);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyAsync(b, a, 4, cudaMemcpyHostToHost, s);
  *b = *a;
}'
# limited WORDS STATEMENTS: after the statements, an ordinary grid does with fewer threads than there are workers, and the
# program says the words of a cooperative one. A sanitizer ends such a program.
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
limited "no memory for the stacks of a block's threads" "rlimit little{1 << 30, 1 << 30}; setrlimit(RLIMIT_AS, &little);"
exit $((failures > 0))
