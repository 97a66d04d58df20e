/// @file
/// @brief Sources that the checks of streams read, and the right results.
#pragma once

#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../../../common/checks/catch.hpp"
#include "../../../common/checks/folder.hpp"
#include "../../../common/checks/setting.hpp"
#include "../../../common/problem/input.hpp"
#include "../../../common/problem/verify.hpp"
#include "../input/file_source.hpp"
#include "../streaming/pipeline.cuh"

namespace stream_checks {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t kChunk = kChunkAlignment;
const std::vector<std::size_t> kSizes = {0, 1, 9, kChunk - 1, kChunk, kChunk + 1, 5 * kChunk + 3};

/// The right results, and then the right checksum.
Results expected(const Work& work, const Bytes& bytes) {
    Results total;
    if (work.results == kBins) {
        total = reference_histogram(bytes.data(), bytes.size());
    } else {
        std::vector<int> ints(bytes.size() / sizeof(int));
        std::memcpy(ints.data(), bytes.data(), ints.size() * sizeof(int));
        total.assign(1, reference_sum(ints.data(), ints.size()));
    }
    unsigned long long checksum = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        checksum += (2 * (i / 8) + 1) * (static_cast<unsigned long long>(bytes[i]) << i % 8 * 8);
    total.push_back(checksum);
    return total;
}

void no_watch() {}

/// @return What is wrong with the results of a source.
std::optional<std::string> check_source(Source& source, const Bytes& bytes, const Shape& shape,
                                        const Work& work = kCountBytes,
                                        const std::function<decltype(feed)>& take = feed) {
    Results total;
    const std::string error = thrown_by([&] {
        Pipeline pipeline(work, shape);
        pipeline.run(source, no_watch, take);
        total = pipeline.total();
    });
    cudaGetLastError();
    if (!error.empty()) return error;
    if (const auto wrong = verify_one_by_one(total, expected(work, bytes))) return wrong;
    if (source.taken() != bytes.size()) return "it took " + std::to_string(source.taken()) + " bytes";
    return std::nullopt;
}

/// Data that are copied to the buffers, as those of a file are.
class CopiedSource : public SizedSource {
 public:
    CopiedSource(const Bytes& bytes, std::size_t chunk_bytes)
        : SizedSource(bytes.size(), chunk_bytes), data_(bytes.data()) {}
    Chunk next(unsigned char* buffer) override {
        const Chunk chunk = claim();
        std::copy_n(data_ + chunk.first, chunk.size, buffer);
        return {buffer, chunk.first, chunk.size};
    }

 private:
    const unsigned char* const data_;
};

/// Bytes that a thread writes to a pipe.
class Writer {
 public:
    explicit Writer(const Bytes& bytes) {
        int ends[2];
        if (pipe(ends) != 0) throw std::runtime_error("no pipe");
        source = std::make_unique<PipeSource>("a pipe", OpenFile(ends[0]), kChunk);
        thread_ = std::thread([&bytes, end = ends[1]] {
            for (std::size_t done = 0; done < bytes.size();) {
                const ssize_t count =
                    write(end, bytes.data() + done, std::min<std::size_t>(1000, bytes.size() - done));
                if (count <= 0) break;
                done += static_cast<std::size_t>(count);
            }
            close(end);
        });
    }
    ~Writer() { thread_.join(); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    std::unique_ptr<PipeSource> source;

 private:
    std::thread thread_;
};

std::string write_file(const Folder& folder, const Bytes& bytes) {
    std::ofstream(folder / "data", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return folder / "data";
}

/// Seeds for the order in which the simulator works; on a GPU only one, which has no effect.
std::vector<std::uint64_t> seeds(std::uint64_t count) {
    std::vector<std::uint64_t> numbers(is_simulated() ? count : 1);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

/// During its lifetime, the simulator has this many devices. Then the first device is selected again.
class Devices {
 public:
    explicit Devices(int count) : setting_("CUDA_SIM_DEVICES", static_cast<std::uint64_t>(count)) {}
    ~Devices() { cudaSetDevice(0); }
    Devices(const Devices&) = delete;
    Devices& operator=(const Devices&) = delete;

 private:
    const Setting setting_;
};

/// Whether there are this many devices. A machine with GPUs may have fewer.
bool has_devices(int count) {
    int found = 0;
    return cudaGetDeviceCount(&found) == cudaSuccess && found >= count;
}

}  // namespace stream_checks
