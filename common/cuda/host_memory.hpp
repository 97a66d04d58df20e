/// @file
/// @brief How much host memory is available.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>

/// @return Bytes available without swapping, as Linux estimates them; elsewhere all physical memory.
inline std::size_t host_memory_bytes() {
    std::size_t kibibytes = 0;
    if (std::FILE* const file = std::fopen("/proc/meminfo", "r")) {
        char line[128];
        while (std::fgets(line, sizeof(line), file) != nullptr)
            if (std::sscanf(line, "MemAvailable: %zu", &kibibytes) == 1) break;
        std::fclose(file);
    }
    if (kibibytes != 0) return kibibytes * 1024;
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}
