/// @file
/// @brief Chapter 04: the histogram at the speed of memory.
///
///     nvcc -std=c++20 -O3 04_coarsened/main.cu -o histogram && ./histogram
#include "../common/bench/input.cuh"
#include "../common/bench/program.cuh"
#include "../common/bench/variant_bench.cuh"
#include "../common/bench/variants.hpp"
#include "../common/cuda/device_buffer.cuh"
#include "../common/cuda/timer.cuh"
#include "kernels.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options<Histogram>(argc, argv);
        if (options.list) return print_variants(kVariants), 0;
        const std::vector<Variant<Histogram>> chosen = choose_variants(kVariants, options);

        const Device device = init_cuda();
        const std::vector<unsigned char> data = make_input<Histogram>(options, &device);

        const DeviceBuffer<unsigned char> d_data(data.size());
        EventTimer copy;
        copy.start();
        CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
        const double copy_seconds = copy.stop();

        // Each round times all of this, on these bytes, and begins with the next line of the table.
        VariantBench<Histogram> bench("04_coarsened", options, &device, data, d_data.data(), copy_seconds);
        for (const Variant<Histogram>& variant : chosen) bench.add(variant);
        bench.add_cpu_baselines();
        bench.add_read_ceiling();
        bench.add_cub();
        return bench.run();
    });
}
