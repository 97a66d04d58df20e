/// @file
/// @brief Replaces a variant's calls by questions to a student's process, which is not trusted.
#pragma once

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../checks/failure.cuh"
#include "../checks/setting.hpp"
#include "../problem/prepared_variant.cuh"
#include "question.hpp"

/// An error that a student's process has sent.
template <typename Error>
class SentError : public Error, public FaultElsewhere {
 public:
    /// @param[in] text The message. @param[in] of The kernel's fault that the error reports, if any.
    SentError(std::string text, sim::Fault of)
        : Error(cudaErrorUnknown, "", "", 0), FaultElsewhere{std::move(of)}, text_(std::move(text)) {}
    /// The other process's message, without the place in this process.
    const char* what() const noexcept override { return text_.c_str(); }

 private:
    std::string text_;
};

namespace asking {

/// Exit statuses of a program that can't ask any more: the other process has ended, or its answer is invalid.
constexpr int kEnded = 4, kNoAnswer = 5;

/// Ends this process with a status unless a condition holds.
inline void require(bool holds, int status) {
    if (!holds) std::_Exit(status);
}

/// A copy, in host memory, of numbers or elements that are in host memory (`on_host`) or in device memory.
template <typename T>
std::vector<T> copy_of(const T* from, std::size_t count, bool on_host) {
    std::vector<T> copy(count);
    if (count == 0) return copy;
    if (on_host)
        std::memcpy(copy.data(), from, count * sizeof(T));
    else
        CUDA_CHECK(cudaMemcpy(copy.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
    return copy;
}

/// Stores numbers where a variant stores its results: in host memory, or in device memory.
inline void store(const Results& from, unsigned long long* to, bool on_host) {
    if (on_host)
        std::copy(from.begin(), from.end(), to);
    else
        CUDA_CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(from[0]), cudaMemcpyHostToDevice));
}

/// Throws the exception that the student's process reports.
inline void throw_sent(const Answer& answer, const std::string& sent) {
    std::array<std::string, kTexts> texts;
    std::size_t begin = 0;
    for (std::string& text : texts) {
        const std::size_t end = std::min(sent.find('\0', begin), sent.size());
        text = sent.substr(std::min(begin, sent.size()), end - std::min(begin, sent.size()));
        begin = end + 1;
    }
    const auto kind = std::min(answer.fault_kind, static_cast<std::uint32_t>(sim::FaultKind::other));
    sim::Fault fault{
        static_cast<sim::FaultKind>(kind), texts[1], texts[2], texts[3], texts[4], texts[5], texts[6]};
    if (answer.thrown == Thrown::unnoticed) throw SentError<UnnoticedError>(texts[0], std::move(fault));
    throw SentError<CudaError>(texts[0], std::move(fault));
}

/// A Variant::Run that asks. Its memory is that of a PreparedVariant, in this process.
template <typename Problem, bool kIsMore>
void ask(const typename Problem::Element* data, std::size_t n, unsigned long long* results,
         unsigned long long* workspace, LaunchShape shape) {
    using Element = typename Problem::Element;
    static std::random_device random;
    const Variant<Problem>& variant = (kIsMore ? more_checks<Problem> : added_variants<Problem>).front();
    const bool on_host = variant.on_cpu, ends_only = is_set("CUDA_SIM_ENDS", "2");
    const bool data_on_host = on_host || ends_only;  // failure_far_out's data
    constexpr std::size_t kPast = PreparedVariant<Problem>::kRedzone;

    Question question{};
    question.number = std::uint64_t{random()} << 32 | random();
    question.n = n;
    question.offset = reinterpret_cast<std::uintptr_t>(data) % (data_on_host ? 16 : 256) / sizeof(Element);
    question.workspace = variant.workspace_size(n, shape) + kPast;
    question.grid = shape.grid;
    question.block = shape.block;
    question.is_more = kIsMore;
    question.forbids_early_exit = is_set("CUDA_SIM_EARLY_EXIT", "0");
    question.ends_only = ends_only;
    std::vector<Element> elements;
    if (data_on_host && n > kMostSent) {
        elements.assign(data, data + kEnds);
        elements.insert(elements.end(), data + n - kEnds, data + n);
    } else {
        elements = copy_of(data, n, data_on_host);
    }
    Results its_results = copy_of(results, variant.results + kPast, on_host);
    Results its_workspace = copy_of(workspace, question.workspace, on_host);
    const auto bytes = [](const auto& numbers) { return numbers.size() * sizeof(numbers[0]); };
    require(send(&question, sizeof(question)) && send(elements.data(), bytes(elements)) &&
                send(its_results.data(), bytes(its_results)) &&
                send(its_workspace.data(), bytes(its_workspace)),
            kEnded);

    Answer answer{};
    require(receive(&answer, sizeof(answer)), kEnded);
    require(
        answer.number == question.number && answer.thrown <= Thrown::other && answer.text_length <= kMostText,
        kNoAnswer);
    std::string texts(answer.text_length, '\0');
    require(receive(its_results.data(), bytes(its_results)) &&
                receive(its_workspace.data(), bytes(its_workspace)) && receive(texts.data(), texts.size()),
            kEnded);
    store(its_results, results, on_host);
    store(its_workspace, workspace, on_host);
    if (answer.thrown == Thrown::other) throw std::runtime_error(texts.c_str());
    if (answer.thrown != Thrown::nothing) throw_sent(answer, texts);
}

/// From now on, this program's variants ask the student's process, if there is one.
template <typename Problem>
void begin() {
    if (socket_descriptor() < 0) return;
    std::signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_DUMPABLE, 0);  // without a sandbox, other processes could read this one's memory
    for (Variant<Problem>& variant : added_variants<Problem>) variant.run = ask<Problem, false>;
    for (Variant<Problem>& variant : more_checks<Problem>) variant.run = ask<Problem, true>;
}

}  // namespace asking
