/// @file
/// @brief Chapter 05: the sum of squares by more and more threads, timed in cycles and GB/s.
///
///     nvcc -std=c++20 -O3 05_sum_of_squares/main.cu -o sum && ./sum
#include "../common/bench/input.cuh"
#include "../common/bench/program.cuh"
#include "../common/bench/variant_table.cuh"
#include "../common/bench/variants.hpp"
#include "../common/cuda/device_buffer.cuh"
#include "../common/cuda/pinned.cuh"
#include "clocks.cuh"
#include "device_info.cuh"
#include "kernels.cuh"
#include "loads.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options<SumOfSquares>(
            argc, argv,
            {{"clocks", "clock cycles counted inside the kernels, and the time by events", false},
             {"loads", "contiguous and strided loads, with 1, 4 and 16 loads in flight per thread", true,
              true},
             {"strides", "a full grid whose neighbouring threads load ints 1 to 32 apart", true},
             {"device-info", "print the properties of the device", false}});
        if (options.list) return print_variants(kVariants), 0;
        const std::vector<Variant<SumOfSquares>> chosen = choose_variants(kVariants, options);

        const Device device = init_cuda();
        if (options.mode == "device-info") return print_device_info();
        const std::vector<int> data = make_input<SumOfSquares>(options, &device);

        const DeviceBuffer<int> d_data(data.size());
        Pinned pinned(data);  // the device can read pinned memory directly
        CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));

        if (options.mode == "clocks") return print_clocks(d_data.data(), data.size(), options, device);
        if (options.mode == "loads") return print_loads(data, d_data.data(), options, device);
        if (options.mode == "strides") return print_strides(data, d_data.data(), options, device);

        // Each round times every row of the table on these ints, and starts with a different row.
        VariantTable<SumOfSquares> table("05_sum_of_squares", options, &device, data, d_data.data());
        for (const Variant<SumOfSquares>& variant : chosen) table.add(variant);
        table.add_cpu_baselines();
        table.add_copies(pinned, d_data.data());
        table.add_read_ceiling();
        table.add_cub();
        return table.measure_and_print();
    });
}
