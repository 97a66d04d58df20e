/// @file
/// @brief The number of a process among those that mpirun or srun has started together.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

/// A process among those that were started together.
struct Launch {
    int rank = 0, count = 1;
    bool is_known = false;  ///< a launcher has started this process

    /// For messages: `rank 2: `, or nothing for a process alone.
    std::string prefix() const { return count > 1 ? "rank " + std::to_string(rank) + ": " : ""; }
};

/// Reads the variables of Open MPI, of MPICH, and last those of Slurm, which may have started the others.
inline Launch find_launch() {
    constexpr std::array<std::array<const char*, 2>, 3> kVariables{
        {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
         {"PMI_RANK", "PMI_SIZE"},
         {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}};
    for (const auto& [rank_name, count_name] : kVariables) {
        const char *const rank = std::getenv(rank_name), *const count = std::getenv(count_name);
        if (rank != nullptr && count != nullptr)
            return {std::atoi(rank), std::max(1, std::atoi(count)), true};
    }
    return {};
}

/// @return The path of a rank's own file: `%r` stands for the rank's number.
inline std::string path_of_rank(std::string path, int rank) {
    const std::string number = std::to_string(rank);
    for (std::size_t at = 0; (at = path.find("%r", at)) != std::string::npos; at += number.size())
        path.replace(at, 2, number);
    return path;
}
