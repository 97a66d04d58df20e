/// @file
/// @brief Chapter 02: the histogram on a GPU with global atomics, everything by hand.
///
///     nvcc -std=c++20 -O3 02_naive_atomic/main.cu -o histogram && ./histogram
#include "../common/bench/input.cuh"
#include "../common/bench/program.cuh"
#include "../common/bench/sweep.cuh"
#include "../common/bench/variant_table.cuh"
#include "../common/bench/variants.hpp"
#include "counter_types.cuh"
#include "kernels.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options<Histogram>(
            argc, argv,
            {kSweepMode, {"counter-types", "time atomicAdd on int, unsigned, float and double", true}});
        if (options.list) return print_variants(kVariants), 0;
        const std::vector<Variant<Histogram>> chosen = choose_variants(kVariants, options);

        const Device device = init_cuda();
        const std::vector<unsigned char> data = make_input<Histogram>(options, &device);
        const std::size_t n = data.size();

        // The device has its own memory: allocate some, and copy the bytes to it.
        unsigned char* d_data = nullptr;
        unsigned long long* d_bins = nullptr;
        CUDA_CHECK(cudaMalloc(&d_data, n));
        CUDA_CHECK(cudaMalloc(&d_bins, kBins * sizeof(*d_bins)));

        // Events are time stamps that the device records, here around the copy to the device,
        // around the kernel and the clear before it, and around the copy back.
        cudaEvent_t events[4];
        for (cudaEvent_t& event : events) CUDA_CHECK(cudaEventCreate(&event));

        CUDA_CHECK(cudaEventRecord(events[0]));
        CUDA_CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaEventRecord(events[1]));
        CUDA_CHECK(cudaMemset(d_bins, 0, kBins * sizeof(*d_bins)));
        if (n > 0) grid_stride_kernel<<<two_blocks_per_sm(), kBlock>>>(d_data, n, d_bins);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaEventRecord(events[2]));
        Bins bins(kBins);
        CUDA_CHECK(cudaMemcpy(bins.data(), d_bins, kBins * sizeof(*d_bins), cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaEventRecord(events[3]));
        CUDA_CHECK(cudaEventSynchronize(events[3]));

        float copy_ms = 0, kernel_ms = 0, copy_back_ms = 0;
        CUDA_CHECK(cudaEventElapsedTime(&copy_ms, events[0], events[1]));
        CUDA_CHECK(cudaEventElapsedTime(&kernel_ms, events[1], events[2]));
        CUDA_CHECK(cudaEventElapsedTime(&copy_back_ms, events[2], events[3]));
        for (const cudaEvent_t event : events) CUDA_CHECK(cudaEventDestroy(event));
        if (options.heading)
            std::printf("\nBy hand: copy %.2f ms, grid-stride kernel %.2f ms, copy back %.2f ms;\n%s.\n",
                        copy_ms, kernel_ms, copy_back_ms,
                        verify_in_reverse(bins, data.data(), n)
                            .value_or("subtracting the bytes again leaves all bins empty")
                            .c_str());

        // The rest is the same in every chapter: time the variants side by side, verify and print. Each round
        // times every row of the table on these bytes, and starts with a different row.
        int status = 0;
        if (options.mode == "sweep") {
            status = print_sweep("02_naive_atomic", variant_named(kVariants, "grid-stride"), d_data, data,
                                 kBlock, options, device);
        } else if (options.mode == "counter-types") {
            status = print_counter_types("02_naive_atomic", d_data, data, options, device);
        } else {
            VariantTable<Histogram> table("02_naive_atomic", options, &device, data, d_data);
            for (const Variant<Histogram>& variant : chosen) table.add(variant);
            table.add_cpu_baselines();
            table.add_read_ceiling();
            table.add_cub();
            status = table.measure_and_print();
        }

        CUDA_CHECK(cudaFree(d_bins));
        CUDA_CHECK(cudaFree(d_data));
        return status;
    });
}
