/// @file
/// @brief Error handling of every program: one line for an error, and an exit status.
///
/// | status | meaning |
/// |---|---|
/// | 0 | success |
/// | 1 | a wrong result, or a failure during the run |
/// | 2 | an invalid command line, or options with which a kernel could not be right |
/// | 3 | no CUDA device |
#pragma once

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "../cuda/device.cuh"
#include "options.hpp"
#include "terminal.hpp"
#include "visible.hpp"

/// @brief Runs a program's body, and turns an exception into one line and an exit status.
/// @param[in] body Returns the exit status.
/// @param[in] prefix Begins each message: "rank 2: " in one of several processes.
template <typename Body>
int run_program(const Body& body, const std::string& prefix = "") {
    const auto fail = [&](int status, const std::string& what) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s %s\n", looks(Look::bad, "error:", stderr).c_str(),
                     visible(prefix + what).c_str());
        return status;
    };
    try {
        const int status = body();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            return fail(1, "the output could not be written");
        return status;
    } catch (const NoDevice& error) {
        return fail(3, error.what());
    } catch (const BadOption& error) {
        return fail(2, error.what());
    } catch (const std::invalid_argument& error) {
        return fail(2, error.what());
    } catch (const std::bad_alloc&) {
        return fail(1, "the machine has too little memory for this: use less data");
    } catch (const std::system_error& error) {
        if (error.code() != std::errc::resource_unavailable_try_again) return fail(1, error.what());
        return fail(1, "the system can't start more threads: use a smaller --grid or less data");
    } catch (const CudaError& error) {
        const bool is_memory = error.code() == cudaErrorMemoryAllocation;
        return fail(1, error.what() + std::string(is_memory ? ": use less data" : ""));
    } catch (const std::exception& error) {
        return fail(1, error.what());
    }
}
