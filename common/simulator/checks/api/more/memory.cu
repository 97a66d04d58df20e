// Managed, mapped and pitched memory, and device variables.
#include <cuda_pipeline.h>

#include "check.h"

__device__ int device_numbers[3];
__constant__ int factor = 2;
__managed__ int total;

__global__ void sum_kernel(const int* numbers, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&total, factor * numbers[i]);
}
__global__ void rows_kernel(char* rows, size_t pitch) {
    rows[threadIdx.y * pitch + threadIdx.x] += threadIdx.y;
}

__global__ void every_other_kernel(const int* from, int* to, unsigned int* calls) {
    __shared__ int tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], sizeof(int),
                            threadIdx.x % 2 * sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    to[threadIdx.x] = tile[threadIdx.x];
    atomicInc_system(calls, 20);
}

void check_pipeline() {
    int* numbers;
    unsigned int* calls;
    RUNS(cudaMallocManaged(&numbers, 64 * sizeof(int)));
    RUNS(cudaMallocManaged(&calls, sizeof(int)));
    for (int i = 0; i < 32; ++i) numbers[i] = i + 1;
    *calls = 0;
    every_other_kernel<<<1, 32>>>(numbers, numbers + 32, calls);
    RUNS(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) CHECK(numbers[32 + i] == (i % 2 == 0 ? i + 1 : 0));
    CHECK(*calls == 32 - 21);  // 20 wraps to 0
    RUNS(cudaFree(numbers));
    RUNS(cudaFree(calls));
}

/// Whether memory has a type, and who has a pointer to it.
bool is_of(cudaMemoryType type, void* pointer, bool by_device, bool by_host) {
    cudaPointerAttributes found;
    RUNS(cudaPointerGetAttributes(&found, pointer));
    return found.type == type && found.device == (by_device ? 0 : cudaInvalidDeviceId) &&
           found.devicePointer == (by_device ? pointer : nullptr) &&
           found.hostPointer == (by_host ? pointer : nullptr);
}

void check_pointers() {
    char *device, *managed, *pinned, host[100];
    void* variable;
    RUNS(cudaMalloc(&device, 100));
    RUNS(cudaMallocManaged(&managed, 100));
    RUNS(cudaMallocHost(&pinned, 100));
    RUNS(cudaGetSymbolAddress(&variable, device_numbers));
    CHECK(is_of(cudaMemoryTypeDevice, device + 99, true, false));
    CHECK(is_of(cudaMemoryTypeDevice, variable, true, false));
    CHECK(is_of(cudaMemoryTypeManaged, managed + 99, true, true));
    CHECK(is_of(cudaMemoryTypeManaged, &total, true, true));
    CHECK(is_of(cudaMemoryTypeHost, pinned + 99, true, true));
    CHECK(is_of(cudaMemoryTypeUnregistered, host, false, true));
    RUNS(cudaHostRegister(host, sizeof(host), 0));
    CHECK(is_of(cudaMemoryTypeHost, host + 99, true, true));
    RUNS(cudaHostUnregister(host));
    RUNS(cudaFree(device));
    RUNS(cudaFree(managed));
    RUNS(cudaFreeHost(pinned));
    CHECK(is_of(cudaMemoryTypeUnregistered, device, false, true));
}

int main() {
    check_pipeline();
    check_pointers();
    int *managed, *host, *mapped, *symbol;
    RUNS(cudaMallocManaged(&managed, 4 * sizeof(int)));
    for (int i = 0; i < 4; ++i) managed[i] = i;
    sum_kernel<<<1, 2>>>(managed, 4);
    RUNS(cudaDeviceSynchronize());
    CHECK(total == 12);
    cudaStream_t stream;
    RUNS(cudaStreamCreate(&stream));
    // Even if a stream exists, this call returns only after the managed memory is set.
    RUNS(cudaMemset(&total, 0, sizeof(total)));
    CHECK(total == 0);
    RUNS(cudaStreamDestroy(stream));

    RUNS(cudaHostAlloc(&host, 2 * sizeof(int), cudaHostAllocMapped));
    host[1] = 5;
    RUNS(cudaMemset(host, 0xff, sizeof(int)));
    RUNS(cudaDeviceSynchronize());
    CHECK(host[0] == -1 && host[1] == 5);
    CHECK(cudaMemset(host, 0, 3 * sizeof(int)) == cudaErrorInvalidValue);
    RUNS(cudaMemcpy(host, managed + 2, sizeof(int), cudaMemcpyDeviceToDevice));
    RUNS(cudaMemcpy(host + 1, host, sizeof(int), cudaMemcpyHostToDevice));
    CHECK(host[0] == 2 && host[1] == 2);
    RUNS(cudaHostGetDevicePointer(&mapped, host, 0));
    host[0] = host[1] = 5;
    sum_kernel<<<1, 32>>>(mapped, 2);
    RUNS(cudaDeviceSynchronize());
    CHECK(total == 20);
    RUNS(cudaFreeHost(host));

    const int numbers[3] = {1, 2, 3};
    int back[2];
    RUNS(cudaMemcpyToSymbol(device_numbers, numbers, sizeof(numbers), 0, cudaMemcpyHostToDevice));
    RUNS(cudaMemcpyFromSymbol(back, device_numbers, 2 * sizeof(int), sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(back[0] == 2 && back[1] == 3);
    RUNS(cudaGetSymbolAddress(reinterpret_cast<void**>(&symbol), device_numbers));
    RUNS(cudaMemcpy(managed, symbol, sizeof(numbers), cudaMemcpyDeviceToDevice));
    CHECK(managed[2] == 3);
    RUNS(cudaMemcpy(symbol + 1, numbers, 2 * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(symbol + 1, numbers, 2 * sizeof(int) + 1, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
    RUNS(cudaFree(managed));

    char *rows, matrix[2][5] = {"abcd", "abcd"};
    size_t pitch;
    cudaGetLastError();
    RUNS(cudaMallocPitch(&rows, &pitch, 5, 2));
    CHECK(pitch >= 5);
    RUNS(cudaMemcpy2D(rows, pitch, matrix, 5, 5, 2, cudaMemcpyHostToDevice));
    rows_kernel<<<1, dim3(4, 2)>>>(rows, pitch);
    RUNS(cudaMemcpy2D(matrix, 5, rows, pitch, 5, 2, cudaMemcpyDeviceToHost));
    CHECK(matrix[0][0] == 'a' && matrix[1][3] == 'e');
    CHECK(cudaMemcpy2D(matrix, 4, rows, pitch, 5, 2, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
    RUNS(cudaFree(rows));

    cudaMemPool_t pool;
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    RUNS(cudaMemPoolCreate(&pool, &properties));
    RUNS(cudaMallocFromPoolAsync(&symbol, sizeof(numbers), pool, nullptr));
    RUNS(cudaMemcpy(symbol, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
    RUNS(cudaFreeAsync(symbol, nullptr));
    cudaMemPool_t before;
    cudaMemAccessDesc access = {};
    access.location = properties.location;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    RUNS(cudaMemPoolSetAccess(pool, &access, 1));
    RUNS(cudaDeviceGetMemPool(&before, 0));
    RUNS(cudaDeviceSetMemPool(0, pool));
    RUNS(cudaMallocAsync(&symbol, sizeof(numbers), nullptr));
    RUNS(cudaDeviceSetMemPool(0, before));
    RUNS(cudaFreeAsync(symbol, nullptr));
    RUNS(cudaMemPoolDestroy(pool));
}
