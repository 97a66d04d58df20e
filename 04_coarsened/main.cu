/// @file
/// @brief Chapter 04: the histogram at the speed of memory.
///
///     nvcc -std=c++20 -O3 04_coarsened/main.cu -o histogram && ./histogram
#include "../common/bench/histogram_bench.cuh"
#include "../common/bench/histogram_input.cuh"
#include "../common/bench/program.cuh"
#include "../common/cuda/device_buffer.cuh"
#include "kernels.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options(argc, argv, histogram_programs());
        if (options.list) return print_variants(variants()), 0;
        const std::vector<HistogramVariant> chosen = choose_variants(variants(), options);

        const Device device = init_cuda();
        const std::vector<unsigned char> data = make_input(options, &device);

        const DeviceBuffer<unsigned char> d_data(data.size());
        EventTimer copy;
        copy.start();
        CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), data.size(), cudaMemcpyHostToDevice));
        const double copy_seconds = copy.stop();

        HistogramBench bench("04_coarsened", options, &device, data, d_data.data());
        return bench.run(chosen, copy_seconds);
    });
}
