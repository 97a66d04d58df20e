/// @file
/// @brief How much host memory is available.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>

/// @return The bytes that can be allocated without swapping: Linux's estimate, or a container's limit if that
///         is lower. On other systems, all physical memory.
inline std::size_t host_memory_bytes() {
    std::size_t kibibytes = 0;
    if (std::FILE* const file = std::fopen("/proc/meminfo", "r")) {
        char line[128];
        while (std::fgets(line, sizeof(line), file) != nullptr)
            if (std::sscanf(line, "MemAvailable: %zu", &kibibytes) == 1) break;
        std::fclose(file);
    }
    std::size_t bytes = kibibytes * 1024, limit = 0;
    if (kibibytes == 0)
        bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    // A container's limit, in the files of control groups, version 2 and version 1: a number, or "max".
    for (const char* const path :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
        if (std::FILE* const file = std::fopen(path, "r")) {
            if (std::fscanf(file, "%zu", &limit) == 1) bytes = std::min(bytes, limit);
            std::fclose(file);
        }
    return bytes;
}
