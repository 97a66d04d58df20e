/// @file
/// @brief Chapter 03: the histogram in shared memory, private to each block.
///
///     nvcc -std=c++20 -O3 03_shared_privatized/main.cu -o histogram && ./histogram
#include "../common/bench/input.cuh"
#include "../common/bench/program.cuh"
#include "../common/bench/sweep.cuh"
#include "../common/bench/variant_table.cuh"
#include "../common/bench/variants.hpp"
#include "../common/cuda/device_buffer.cuh"
#include "../common/cuda/pinned.cuh"
#include "atomic_cost.cuh"
#include "kernels.cuh"
#include "levels.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options<Histogram>(
            argc, argv,
            {kSweepMode,
             {"levels", "time registers, shared and global memory from 8 bins to a million", true},
             {"atomic-cost", "latency and throughput of atomics in shared and in global memory", false}});
        if (options.list) return print_variants(kVariants), 0;
        const std::vector<Variant<Histogram>> chosen = choose_variants(kVariants, options);

        const Device device = init_cuda();
        if (options.mode == "atomic-cost") return print_atomic_cost(options, device);
        const std::vector<unsigned char> data = make_input<Histogram>(options, &device);
        if (options.mode == "levels") return print_levels(data, options, device);

        const DeviceBuffer<unsigned char> d_data(data.size());
        Pinned pinned(data);  // the device can read pinned memory directly
        CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
        if (options.mode == "sweep")
            return print_sweep("03_shared_privatized", variant_named(kVariants, "any block"), d_data.data(),
                               data, kBlock, options, device);

        // Each round times every row of the table on these bytes, and starts with a different row.
        VariantTable<Histogram> table("03_shared_privatized", options, &device, data, d_data.data());
        for (const Variant<Histogram>& variant : chosen) table.add(variant);
        table.add_cpu_baselines();
        table.add_copies(pinned, d_data.data());
        table.add_read_ceiling();
        table.add_cub();
        return table.measure_and_print();
    });
}
