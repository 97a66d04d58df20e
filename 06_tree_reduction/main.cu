/// @file
/// @brief Chapter 06: the threads of a block add up together.
///
///     nvcc -std=c++20 -O3 06_tree_reduction/main.cu -o sum && ./sum
#include "../common/bench/program.cuh"
#include "../common/bench/sum_bench.cuh"
#include "../common/bench/sum_input.cuh"
#include "../common/cuda/device_buffer.cuh"
#include "kernels.cuh"

int main(int argc, char** argv) {
    return run_program([&] {
        const Options options = parse_options(argc, argv, sum_programs());
        if (options.list) return print_variants(variants()), 0;
        const std::vector<SumVariant> chosen = choose_variants(variants(), options);

        const Device device = init_cuda();
        const std::vector<int> data = make_ints(options, device);

        const DeviceBuffer<int> d_data(data.size());
        EventTimer copy;
        copy.start();
        CUDA_CHECK(cudaMemcpy(d_data.data(), data.data(), d_data.bytes(), cudaMemcpyHostToDevice));
        const double copy_seconds = copy.stop();

        SumBench bench("06_tree_reduction", options, device, data, d_data.data());
        return bench.run(chosen, copy_seconds);
    });
}
