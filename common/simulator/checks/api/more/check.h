/// @file
/// @brief How the programs here check themselves: the first false claim ends the program.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(claim)                                                     \
    do {                                                                 \
        if (!(claim)) {                                                  \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #claim); \
            exit(1);                                                     \
        }                                                                \
    } while (0)
#define RUNS(call) CHECK((call) == cudaSuccess)
