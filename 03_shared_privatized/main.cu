/// @file
/// @brief Chapter 03: the histogram in shared memory, private to each block.
///
///     nvcc -std=c++20 -O3 03_shared_privatized/main.cu -o histogram && ./histogram
#include "../common/bench/histogram_bench.cuh"
#include "../common/bench/histogram_input.cuh"
#include "../common/bench/program.cuh"
#include "../common/bench/sweep.cuh"
#include "../common/cuda/device_buffer.cuh"
#include "atomic_cost.cuh"
#include "kernels.cuh"
#include "levels.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options(
            argc, argv, histogram_programs(),
            {kSweepMode,
             {"levels", "time registers, shared and global memory from 8 bins to a million", true},
             {"atomic-cost", "latency and throughput of atomics in shared and in global memory", false}});
        if (options.list) return print_variants(variants()), 0;
        const std::vector<HistogramVariant> chosen = choose_variants(variants(), options);

        const Device device = init_cuda();
        if (options.mode == "atomic-cost") return print_atomic_cost(options, device);
        const std::vector<unsigned char> data = make_input(options, &device);
        if (options.mode == "levels") return print_levels(data, options, device);

        const DeviceBuffer<unsigned char> d_data(data.size());
        EventTimer copy;
        copy.start();
        CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), data.size(), cudaMemcpyHostToDevice));
        const double copy_seconds = copy.stop();
        if (options.mode == "sweep")
            return print_sweep("03_shared_privatized", variant_named(variants(), "any block"), d_data.data(),
                               data, kBlock, options, device);

        HistogramBench bench("03_shared_privatized", options, &device, data, d_data.data());
        return bench.run(chosen, copy_seconds);
    });
}
