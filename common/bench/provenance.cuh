/// @file
/// @brief Where a row of results comes from: driver, CUDA, commit, machine, date.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <ctime>
#include <string>
#include <thread>

/// The commit that was built, from `commit.cmake`. A chapter that nvcc compiles alone has none.
extern "C" const char* course_commit() __attribute__((weak));

/// The origin of all rows of a run. Unknown fields are empty.
struct Provenance {
    std::string driver;        ///< NVIDIA's driver, such as "580.159.03"
    std::string cuda_driver;   ///< the newest CUDA that this driver supports, such as "13.0"
    std::string cuda_runtime;  ///< the CUDA version that the program was built with
    unsigned int host_cpus;    ///< the number of logical CPUs
    std::string commit;        ///< the course's commit, with "-dirty" if files were changed, or "unknown"
    std::string date;          ///< UTC, ISO 8601
};

namespace provenance_detail {

/// @return CUDA's 13010 as "13.1"; empty for 0.
inline std::string cuda_version(int number) {
    if (number == 0) return "";
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// CUDA has no call that returns the driver's version, but nvidia-smi prints it.
inline std::string driver_version() {
    std::string version;
    std::FILE* const tool =
        popen("nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0 2>/dev/null", "r");
    if (tool == nullptr) return version;
    for (int c = std::fgetc(tool); c != EOF && c != '\n'; c = std::fgetc(tool))
        version += static_cast<char>(c);
    return pclose(tool) == 0 ? version : "";
}

inline std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm utc;
    char text[32];
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return text;
}

}  // namespace provenance_detail

/// @return The run's provenance, with the date of the first call.
inline const Provenance& provenance() {
    static const Provenance found = [] {
        int driver = 0, runtime = 0;  // stay 0 on failure, which is no reason to lose the row
        cudaDriverGetVersion(&driver);
        cudaRuntimeGetVersion(&runtime);
        return Provenance{driver != 0 ? provenance_detail::driver_version() : "",
                          provenance_detail::cuda_version(driver),
                          provenance_detail::cuda_version(runtime),
                          std::thread::hardware_concurrency(),
                          course_commit != nullptr ? course_commit() : "unknown",
                          provenance_detail::utc_now()};
    }();
    return found;
}
