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

/// What all rows of one run of a program share. What the machine does not say is empty.
struct Provenance {
    std::string driver;        ///< NVIDIA's driver, such as "580.159.03"
    std::string cuda_driver;   ///< the newest CUDA that this driver knows, such as "13.0"
    std::string cuda_runtime;  ///< the CUDA that the program is built with
    unsigned int host_cpus;    ///< logical ones
    std::string commit;        ///< of the course, with "-dirty" if files had changed, or "unknown"
    std::string date;          ///< UTC, ISO 8601
};

namespace provenance_detail {

/// @return CUDA's 13010 as "13.1"; empty for 0, which is no CUDA.
inline std::string cuda_version(int number) {
    if (number == 0) return "";
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// CUDA does not know the version of its own driver. The driver's tool does.
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

/// @return The same for all rows of a run; its date is that of the first.
inline const Provenance& provenance() {
    static const Provenance found = [] {
        int driver = 0, runtime = 0;  // stay 0 where there is none: a row is no reason to fail
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
