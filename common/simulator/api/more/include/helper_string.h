/// @file
/// @brief The parts of helper_string.h, a header of NVIDIA's samples, that programs use: options
/// `-name=value`.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <string>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

/// The value of an option, "" if it has none, or null if it is not given.
inline const char* sim_option(int argc, const char** argv, const char* name) {
    const size_t length = strlen(name);
    for (int i = 1; i < argc; ++i) {
        const char* option = argv[i];
        while (*option == '-') ++option;
        if (option == argv[i] || strncasecmp(option, name, length) != 0) continue;
        if (option[length] == '=') return option + length + 1;
        if (option[length] == '\0') return option + length;
    }
    return nullptr;
}
inline bool checkCmdLineFlag(int argc, const char** argv, const char* name) {
    return sim_option(argc, argv, name) != nullptr;
}
inline int getCmdLineArgumentInt(int argc, const char** argv, const char* name) {
    const char* const value = sim_option(argc, argv, name);
    return value == nullptr ? 0 : atoi(value);
}
inline float getCmdLineArgumentFloat(int argc, const char** argv, const char* name) {
    const char* const value = sim_option(argc, argv, name);
    return value == nullptr ? 0 : static_cast<float>(atof(value));
}
inline bool getCmdLineArgumentString(int argc, const char** argv, const char* name, char** value) {
    const char* const found = sim_option(argc, argv, name);
    *value = found == nullptr ? nullptr : const_cast<char*>(found);
    return found != nullptr;
}
/// @return The path of the named file or, if it does not exist, of that in `data/`; null if neither exists.
/// The caller frees it.
inline char* sdkFindFilePath(const char* name, const char*) {
    for (const std::string& path : {std::string(name), "data/" + std::string(name)}) {
        FILE* const file = fopen(path.c_str(), "rb");
        if (file == nullptr) continue;
        fclose(file);
        return strdup(path.c_str());
    }
    return nullptr;
}
