/// @file
/// @brief Chapter 07: the sum of any amount of data at the speed of memory.
///
///     nvcc -std=c++20 -O3 07_arbitrary_n/main.cu -o sum && ./sum
#include "../common/bench/input.cuh"
#include "../common/bench/program.cuh"
#include "../common/bench/thrust.cuh"
#include "../common/bench/variant_table.cuh"
#include "../common/bench/variants.hpp"
#include "../common/cuda/device_buffer.cuh"
#include "../common/cuda/pinned.cuh"
#include "kernels.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options<SumOfSquares>(argc, argv, {kRivalsMode});
        if (options.list) return print_variants(kVariants), 0;
        const std::vector<Variant<SumOfSquares>> chosen = choose_variants(kVariants, options);

        const Device device = init_cuda();
        const std::vector<int> data = make_input<SumOfSquares>(options, &device);

        const DeviceBuffer<int> d_data(data.size());
        Pinned pinned(data);  // the device can read pinned memory directly
        CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));

        // Each round times every row of the table on these ints, and starts with a different row.
        VariantTable<SumOfSquares> table("07_arbitrary_n", options, &device, data, d_data.data());
        for (const Variant<SumOfSquares>& variant : chosen) table.add(variant);
        table.add_cpu_baselines();
        table.add_copies(pinned, d_data.data());
        table.add_read_ceiling();
        table.add_cub();
        if (options.mode == kRivalsMode.name)
            table.add(thrust_jobs(d_data.data(), data.size(), table.reference()));
        return table.measure_and_print();
    });
}
