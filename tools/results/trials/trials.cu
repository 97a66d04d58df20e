/// @file
/// @brief Kernels of the chapters, each with one thing changed, to find out what a kernel's time depends on.
///
/// `tools/results/record trials` records the output in docs/results/DEVICE/trials.txt. Each result is
/// compared with the CPU's.
#include <cstdio>

#include "../../../common/bench/program.cuh"
#include "bins.cuh"
#include "sums.cuh"

int main() {
    return run_program([] {
        const Device device = init_cuda();
        std::printf("%s\n", device.name.c_str());
        try_bins(device);
        try_sums(device);
        return 0;
    });
}
