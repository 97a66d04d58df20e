/// @file
/// @brief What every program does around its work: one line for an error, and an exit status.
///
/// | status | meaning |
/// |---|---|
/// | 0 | all is well |
/// | 1 | a wrong result, or something failed on the way |
/// | 2 | a command line that can't be followed; nothing was run |
/// | 3 | no CUDA device |
#pragma once

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include "../cuda/device.cuh"
#include "options.hpp"

/// @brief Runs a program's body and turns what it throws into one line and a status.
/// @param[in] body Returns the exit status.
template <typename Body>
int run_program(const Body& body) {
    const auto fail = [](int status, const char* what) {
        std::fflush(stdout);
        std::fprintf(stderr, "error: %s\n", what);
        return status;
    };
    try {
        const int status = body();
        if (std::fflush(stdout) != 0) return fail(1, "the output could not be written");
        return status;
    } catch (const NoDevice& error) {
        return fail(3, error.what());
    } catch (const BadOption& error) {
        return fail(2, error.what());
    } catch (const std::invalid_argument& error) {
        return fail(2, error.what());
    } catch (const std::bad_alloc&) {
        return fail(1, "the machine has too little memory");
    } catch (const std::exception& error) {
        return fail(1, error.what());
    }
}
