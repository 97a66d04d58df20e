// Two streams, and an event that orders them: the second stream waits until the first one's kernel has run.
#include <cstdio>

__global__ void fill_kernel(int* d_data, int value) { d_data[threadIdx.x] = value; }
__global__ void double_kernel(const int* d_in, int* d_out) { d_out[threadIdx.x] = 2 * d_in[threadIdx.x]; }

int main() {
    cudaStream_t first, second;
    cudaEvent_t filled;
    int *d_in, *d_out, *out, sum = 0;
    if (cudaStreamCreate(&first) != cudaSuccess || cudaStreamCreate(&second) != cudaSuccess) return 1;
    if (cudaEventCreate(&filled) != cudaSuccess) return 1;
    if (cudaMalloc(&d_in, 256) != cudaSuccess || cudaMalloc(&d_out, 256) != cudaSuccess) return 1;
    if (cudaMallocHost(&out, 256) != cudaSuccess) return 1;
    fill_kernel<<<1, 64, 0, first>>>(d_in, 21);
    if (cudaEventRecord(filled, first) != cudaSuccess) return 1;
    if (cudaStreamWaitEvent(second, filled, 0) != cudaSuccess) return 1;
    double_kernel<<<1, 64, 0, second>>>(d_in, d_out);
    if (cudaMemcpyAsync(out, d_out, 256, cudaMemcpyDeviceToHost, second) != cudaSuccess) return 1;
    if (cudaStreamSynchronize(second) != cudaSuccess) return 1;
    for (int i = 0; i < 64; ++i) sum += out[i];
    std::printf("64 * 42 = %d\n", sum);
    return sum == 64 * 42 ? 0 : 1;
}
