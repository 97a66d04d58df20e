/// @file
/// @brief Names what a program uses and the simulator does not have, where the program uses it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../lexer.hpp"

/// A name, or the beginning of some if it ends with `*`, and the feature that it belongs to.
struct MissingFeature {
    std::string_view name, feature;
};

/// Of headers, by how their names begin. Those without a feature are here.
inline constexpr MissingFeature kMissingHeaders[] = {{"thrust/*", "Thrust"},
                                                     {"cub/*", "CUB"},
                                                     {"cuda/atomic", ""},
                                                     {"cuda/std/atomic", ""},
                                                     {"cuda/std/cstddef", ""},
                                                     {"cuda/std/cstdint", ""},
                                                     {"cuda/std/type_traits", ""},
                                                     {"cuda/std/utility", ""},
                                                     {"cuda/*", "libcu++"},
                                                     {"cublas*", "cuBLAS"},

                                                     {"cufft*", "cuFFT"},
                                                     {"cusparse*", "cuSPARSE"},
                                                     {"cusolver*", "cuSOLVER"},
                                                     {"cudnn*", "cuDNN"},
                                                     {"npp*", "NPP"},
                                                     {"nvrtc*", "NVRTC"},
                                                     {"nccl*", "NCCL"},
                                                     {"nvml*", "NVML"},
                                                     {"cupti*", "CUPTI"},
                                                     {"mma.h", "tensor cores (WMMA)"},
                                                     {"cutlass/*", "CUTLASS"},
                                                     {"cute/*", "CUTLASS"},
                                                     {"cuda_gl_interop.h", "OpenGL"},
                                                     {"cuda_texture_types.h", "textures"}};

inline constexpr std::string_view kInlinePtx = "inline PTX (asm)";

/// Of other words.
inline constexpr MissingFeature kMissingWords[] = {{"asm", kInlinePtx},
                                                   {"__asm__", kInlinePtx},
                                                   {"__asm", kInlinePtx},
                                                   {"cudaTextureObject_t", "textures"},
                                                   {"cudaArray_t", "textures"},
                                                   {"cudaArray", "textures"},
                                                   {"tex1D*", "textures"},
                                                   {"tex2D*", "textures"},
                                                   {"tex3D*", "textures"},
                                                   {"surf1D*", "surfaces"},
                                                   {"surf2D*", "surfaces"},
                                                   {"surf3D*", "surfaces"},
                                                   {"cudaSurfaceObject_t", "surfaces"},
                                                   {"cuModule*", "driver API"},
                                                   {"cuCtx*", "driver API"},
                                                   {"cuInit", "driver API"},
                                                   {"cuLaunchKernel", "driver API"},
                                                   {"cuMem*", "driver API"},
                                                   {"this_cluster", "thread block clusters"},
                                                   {"cluster_group", "thread block clusters"},
                                                   {"__cluster_dims__", "thread block clusters"},
                                                   {"CURAND_RNG_QUASI*", "quasi-random numbers"},
                                                   {"curandDirectionVectors*", "quasi-random numbers"},
                                                   {"cudaIpc*", "memory shared by processes"},
                                                   {"cudaGraphics*", "OpenGL"}};

/// @return The feature of a name that the simulator lacks; empty if it lacks none.
template <std::size_t kCount>
std::string_view missing_feature(std::string_view name, const MissingFeature (&features)[kCount]) {
    for (const MissingFeature& missing : features) {
        const bool begins = missing.name.back() == '*';
        const std::string_view beginning = missing.name.substr(0, missing.name.size() - begins);
        if (begins ? name.substr(0, beginning.size()) == beginning : name == beginning)
            return missing.feature;
    }
    return {};
}

/// An `#include` directive among the tokens of a file.
struct Include {
    std::size_t first, last;  ///< its tokens after the `#`
    std::string name;
    bool quoted;
};

inline std::vector<Include> includes(const std::vector<Token>& tokens) {
    std::vector<Include> result;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].directive == 0 || tokens[i].text != "include") continue;
        std::size_t at = i + 1;
        if (tokens[at].kind == Token::blank) ++at;
        Include include{i, at, "", at < tokens.size() && tokens[at].kind == Token::quoted};
        for (; at < tokens.size() && tokens[at].directive == tokens[i].directive; ++at) {
            include.name += tokens[at].text;
            include.last = at;
            if (include.quoted || tokens[at].text == ">") break;
        }
        if (include.name.size() < 2) continue;
        include.name = include.name.substr(1, include.name.size() - 2);
        result.push_back(include);
    }
    return result;
}

/// Makes each use of a missing feature a compiler error, so code that the preprocessor leaves out may use it.
/// @param for_host Whether the host's compiler alone reads the file, whose `asm` is the host's.
inline void name_what_is_missing(std::vector<Token>& tokens, bool for_host = false) {
    const auto sentence = [](std::string_view feature) {
        return "the simulator has no " + std::string(feature) + ": this program needs a GPU";
    };
    for (const Include& include : includes(tokens)) {
        const std::string_view feature = missing_feature(include.name, kMissingHeaders);
        if (feature.empty()) continue;
        tokens[include.first].text = "error " + sentence(feature);
        for (std::size_t i = include.first + 1; i <= include.last; ++i)
            if (tokens[i].kind != Token::blank)
                std::erase_if(tokens[i].text, [](char c) { return c != '\n'; });
    }
    std::set<std::string_view> named;
    for (Token& token : tokens) {
        if (token.kind != Token::word) continue;
        const std::string_view feature = missing_feature(token.text, kMissingWords);
        if (for_host && feature == kInlinePtx) continue;
        if (!feature.empty() && named.insert(feature).second)
            token.text.insert(0, "_Pragma(\"GCC error \\\"" + sentence(feature) + "\\\"\") ");
    }
}
