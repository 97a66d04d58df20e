/// @file
/// @brief Chapter 05: the sum of squares by threads and blocks, in cycles and GB/s.
///
///     nvcc -std=c++20 -O3 05_sum_of_squares/main.cu -o sum && ./sum
#include "../common/bench/program.cuh"
#include "../common/bench/sum_bench.cuh"
#include "../common/bench/sum_input.cuh"
#include "../common/cuda/device_buffer.cuh"
#include "clocks.cuh"
#include "device_info.cuh"
#include "kernels.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options(argc, argv, sum_programs(),
                                              {{"clocks", "cycles inside the kernels, next to events", false},
                                               {"device-info", "what the device is", false}});
        if (options.list) return print_variants(variants()), 0;
        const std::vector<SumVariant> chosen = choose_variants(variants(), options);

        const Device device = init_cuda();
        if (options.mode == "device-info") return print_device_info();
        const std::vector<int> data = make_ints(options, device);

        const DeviceBuffer<int> d_data(data.size());
        EventTimer copy;
        copy.start();
        CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
        const double copy_seconds = copy.stop();

        if (options.mode == "clocks") return print_clocks(d_data.data(), data.size(), options, device);

        SumBench bench("05_sum_of_squares", options, device, data, d_data.data());
        return bench.run(chosen, copy_seconds);
    });
}
