// Counts letters: each block counts in shared memory, then adds its counts to those of all blocks.
#include <cstdio>
#include <cstring>

constexpr int kLetters = 26;

__global__ void letters_kernel(const char* d_text, int n, unsigned int* d_counts) {
    __shared__ unsigned int counts[kLetters];
    if (threadIdx.x < kLetters) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (d_text[i] >= 'a' && d_text[i] <= 'z') atomicAdd(&counts[d_text[i] - 'a'], 1u);
    __syncthreads();
    if (threadIdx.x < kLetters) atomicAdd(&d_counts[threadIdx.x], counts[threadIdx.x]);
}

int main() {
    const char text[] = "the quick brown fox jumps over the lazy dog, and the dog doesn't mind";
    const int n = sizeof(text) - 1;
    unsigned int counts[kLetters], *d_counts;
    char* d_text;
    if (cudaMalloc(&d_text, n) != cudaSuccess || cudaMalloc(&d_counts, sizeof(counts)) != cudaSuccess)
        return 1;
    if (cudaMemcpy(d_text, text, n, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (cudaMemset(d_counts, 0, sizeof(counts)) != cudaSuccess) return 1;
    letters_kernel<<<2, 32>>>(d_text, n, d_counts);
    if (cudaMemcpy(counts, d_counts, sizeof(counts), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (int letter = 0; letter < kLetters; ++letter)
        if (counts[letter] > 2) std::printf("%c: %u\n", 'a' + letter, counts[letter]);
    return 0;
}
