/// @file
/// @brief Reports each use of a feature that the simulator lacks.
#pragma once

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../lexer.hpp"

/// A name, or a pattern with a `*` for several names, and the feature that it belongs to.
struct MissingFeature {
    std::string_view name, feature;
};

inline constexpr std::string_view kInlinePtx = "inline PTX (asm)";

/// Headers, and the features that they belong to. The simulator has the headers whose feature is empty.
/// Including any other header of this list is allowed, because uses of its feature are found by the words
/// below. If `kMissingWords` has no word for the feature, including the header is an error.
inline constexpr MissingFeature kMissingHeaders[] = {{"thrust/*", "Thrust"},
                                                     {"cub/*", "CUB"},
                                                     {"cuda/atomic", ""},
                                                     {"cuda/std/algorithm", ""},
                                                     {"cuda/std/array", ""},
                                                     {"cuda/std/atomic", ""},
                                                     {"cuda/std/cfloat", ""},
                                                     {"cuda/std/climits", ""},
                                                     {"cuda/std/cmath", ""},
                                                     {"cuda/std/cstddef", ""},
                                                     {"cuda/std/cstdint", ""},
                                                     {"cuda/std/functional", ""},
                                                     {"cuda/std/limits", ""},
                                                     {"cuda/std/span", ""},
                                                     {"cuda/std/type_traits", ""},
                                                     {"cuda/std/utility", ""},
                                                     {"cuda/*", "libcu++"},
                                                     {"cublas.h", ""},
                                                     {"cublas_v2.h", ""},
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
                                                     {"mma.h", ""},
                                                     {"cutlass/*", "CUTLASS"},
                                                     {"cute/*", "CUTLASS"},
                                                     {"cuda_gl_interop.h", "OpenGL"},
                                                     {"cuda_texture_types.h", "textures"}};

/// Words other than headers' names, and the features that they belong to, which the simulator lacks unless
/// the feature is empty. Names of namespaces end with `::`.
inline constexpr MissingFeature kMissingWords[] = {{"asm", kInlinePtx},
                                                   {"__asm__", kInlinePtx},
                                                   {"__asm", kInlinePtx},
                                                   {"thrust::", "Thrust"},
                                                   {"cub::", "CUB"},
                                                   {"cublas*_t", ""},
                                                   {"cublas*", "cuBLAS"},
                                                   {"cufft*", "cuFFT"},
                                                   {"cusparse*", "cuSPARSE"},
                                                   {"cusolver*", "cuSOLVER"},
                                                   {"cudnn*", "cuDNN"},
                                                   {"nppi*", "NPP"},
                                                   {"npps*", "NPP"},
                                                   {"nvrtc*", "NVRTC"},
                                                   {"nccl*", "NCCL"},
                                                   {"nvml*", "NVML"},
                                                   {"cupti*", "CUPTI"},
                                                   {"CUpti*", "CUPTI"},
                                                   {"nvcuda::", "tensor cores (WMMA)"},
                                                   {"wmma::", "tensor cores (WMMA)"},
                                                   {"cutlass::", "CUTLASS"},
                                                   {"cute::", "CUTLASS"},
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

/// @return The feature that a name belongs to, if the simulator lacks this feature; otherwise empty.
template <std::size_t kCount>
std::string_view missing_feature(std::string_view name, const MissingFeature (&features)[kCount]) {
    for (const MissingFeature& missing : features) {
        const std::size_t star = missing.name.find('*');
        const std::string_view beginning = missing.name.substr(0, star),
                               end = star == std::string_view::npos ? "" : missing.name.substr(star + 1);
        const bool is_long_enough = name.size() >= beginning.size() + end.size();
        if (star == std::string_view::npos
                ? name == missing.name
                : is_long_enough && name.starts_with(beginning) && name.ends_with(end))
            return missing.feature;
    }
    return {};
}

inline std::string sentence_of(std::string_view feature) {
    return "the simulator has no " + std::string(feature) + ": this program needs a GPU";
}

/// An `#include` directive among the tokens of a file.
struct Include {
    std::size_t first, last;  ///< the directive's tokens after the `#`
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

/// Whether a token names a namespace: before `::`, in `using namespace thrust;` or in `namespace t =
/// thrust;`.
inline bool is_namespace(const std::vector<Token>& tokens, std::size_t i) {
    const auto before = [&](std::size_t at) {
        do --at;
        while (at < tokens.size() && tokens[at].kind == Token::blank);
        return at;
    };
    const auto is = [&](std::size_t at, const char* text) {
        return at < tokens.size() && tokens[at].text == text;
    };
    if (is(i + 1, ":") && is(i + 2, ":")) return true;
    const std::size_t last = before(i);
    return is(last, "namespace") || (is(last, "=") && is(before(before(last)), "namespace"));
}

/// Removes an `#include` of a missing header or, if uses of its feature can't be detected, turns it into a
/// compiler error.
inline void leave_out_missing_header(std::vector<Token>& tokens, const Include& include) {
    const std::string_view feature = missing_feature(include.name, kMissingHeaders);
    if (feature.empty()) return;
    for (std::size_t i = include.first; i <= include.last; ++i)
        if (tokens[i].kind != Token::blank) std::erase_if(tokens[i].text, [](char c) { return c != '\n'; });
    const bool has_words =
        std::any_of(std::begin(kMissingWords), std::end(kMissingWords),
                    [feature](const MissingFeature& missing) { return missing.feature == feature; });
    if (!has_words)
        tokens[include.first].text = "error " + sentence_of(include.name + " (" + std::string(feature) + ")");
}

/// Turns each use of a missing feature into a compiler error, which has no effect in code that the
/// preprocessor skips.
/// @param for_host Whether only the host's compiler reads the file, so that `asm` is host code.
inline void name_what_is_missing(std::vector<Token>& tokens, bool for_host = false) {
    std::set<std::size_t> directives;  // the numbers of `#include` directives
    for (const Include& include : includes(tokens)) directives.insert(tokens[include.first].directive);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].kind != Token::word || directives.count(tokens[i].directive) != 0) continue;
        std::string_view feature = missing_feature(tokens[i].text, kMissingWords);
        if (feature.empty() && is_namespace(tokens, i))
            feature = missing_feature(tokens[i].text + "::", kMissingWords);
        if (for_host && feature == kInlinePtx) continue;
        if (!feature.empty())
            tokens[i].text.insert(0, "_Pragma(\"GCC error \\\"" + sentence_of(feature) + "\\\"\") ");
    }
}
