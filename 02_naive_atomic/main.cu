/// @file
/// @brief Chapter 02: the histogram on a GPU with global atomics, everything by hand.
///
///     nvcc -std=c++17 -O3 02_naive_atomic/main.cu -o histogram && ./histogram
#include "../common/histogram_bench.cuh"
#include "../common/program.hpp"
#include "../common/sweep.cuh"
#include "kernels.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options(argc, argv, {kSweepMode});
        if (options.list) return print_variants(variants()), 0;

        const Device device = init_cuda();
        const std::vector<unsigned char> data = make_input(options, device);
        const std::size_t n = data.size();

        // Device memory is another memory: it is allocated, and the bytes are copied over.
        unsigned char* d_data = nullptr;
        unsigned long long* d_bins = nullptr;
        CUDA_CHECK(cudaMalloc(&d_data, n));
        CUDA_CHECK(cudaMalloc(&d_bins, kBins * sizeof(*d_bins)));

        // Copies are timed apart from the kernel: they are another question.
        cudaEvent_t start, stop;
        CUDA_CHECK(cudaEventCreate(&start));
        CUDA_CHECK(cudaEventCreate(&stop));
        float to_device_ms = 0, kernel_ms = 0, to_host_ms = 0;

        CUDA_CHECK(cudaEventRecord(start));
        CUDA_CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaEventRecord(stop));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&to_device_ms, start, stop));

        CUDA_CHECK(cudaEventRecord(start));
        CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
        if (n > 0) grid_stride_kernel<<<two_blocks_a_multiprocessor(), kBlock>>>(d_data, n, d_bins);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaEventRecord(stop));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&kernel_ms, start, stop));

        unsigned long long bins[kBins];
        CUDA_CHECK(cudaEventRecord(start));
        CUDA_CHECK(cudaMemcpy(bins, d_bins, sizeof(bins), cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaEventRecord(stop));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&to_host_ms, start, stop));

        CUDA_CHECK(cudaEventDestroy(start));
        CUDA_CHECK(cudaEventDestroy(stop));

        // From here on, what every chapter does: measure the variants side by side, verify, print.
        int status = 0;
        if (options.mode == "sweep") {
            status = print_sweep(histogram_grid_stride, d_data, data, kBlock, options, device);
        } else {
            HistogramBench bench("02_naive_atomic", options, &device, data, d_data);
            for (const HistogramVariant& variant : variants()) bench.add(variant);
            status = bench.run();
        }
        if (options.heading)
            std::printf(
                "\nBy hand, the first time: copy to the device %.2f ms, grid-stride kernel %.2f ms, copy "
                "back %.2f ms%s\n",
                to_device_ms, kernel_ms, to_host_ms, device.simulated ? " (simulated)" : "");

        CUDA_CHECK(cudaFree(d_bins));
        CUDA_CHECK(cudaFree(d_data));
        return status;
    });
}
