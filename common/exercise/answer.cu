/// @file
/// @brief A student's process: calls its variant as often as it is asked, and answers with the results.
///
/// It knows no expected result, and learns an input's size and elements only when it must compute with them.
/// What it can do is limited before its code runs (lock.cpp). The checks are another process (asking.cuh).
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "../checks/far_elements.cuh"
#include "../problem/histogram.hpp"
#include "../problem/prepared_variant.cuh"
#include "../problem/sum_of_squares.cuh"
#include "../problem/verify.hpp"
#include "other_threads.hpp"
#include "question.hpp"

namespace {

/// Ends this process without a message; the checks treat this as a failure.
void require(bool holds) {
    if (!holds) std::_Exit(1);
}

/// The input of a call, surrounded by poison unless only some of the elements are sent.
template <typename Problem>
class Input {
 public:
    using Element = typename Problem::Element;

    Input(const Question& question, const Variant<Problem>& variant) : offset_(question.offset) {
        if ((variant.on_cpu || question.ends_only != 0) && question.n > kMostSent) {
            std::size_t per_round = 0;
            for (const auto& [far, fewer] : check_detail::far_cases(variant))
                for (const FarCase& c : {far, fewer})
                    if (c.n == question.n && c.shape.grid == question.grid) per_round = c.per_round;
            far_ = per_round > 0 ? check_detail::far_zeros<Element>(offset_ + question.n, per_round).release()
                                 : check_detail::zeros_without_room<Element>(offset_ + question.n).release();
            require(receive(far_ + offset_, kEnds * sizeof(Element)) &&
                    receive(far_ + offset_ + question.n - kEnds, kEnds * sizeof(Element)));
            bytes_ = (offset_ + question.n) * sizeof(Element);
            return;
        }
        near_.resize(offset_ + question.n + offset_);
        if (near_.empty()) return;
        std::memset(near_.data(), kUnwritten, near_.size() * sizeof(Element));
        require(receive(near_.data() + offset_, question.n * sizeof(Element)));
        if (variant.on_cpu) return;
        d_near_ = DeviceBuffer<Element>(near_.size());
        CUDA_CHECK(cudaMemcpy(d_near_.data(), near_.data(), d_near_.bytes(), cudaMemcpyHostToDevice));
    }
    ~Input() {
        if (far_ != nullptr) munmap(far_, bytes_);
    }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    const Element* data() const {
        if (far_ != nullptr) return far_ + offset_;
        return (d_near_.data() != nullptr ? d_near_.data() : near_.data()) + offset_;
    }

 private:
    const std::size_t offset_;
    Element* far_ = nullptr;
    std::size_t bytes_ = 0;
    std::vector<Element> near_;
    DeviceBuffer<Element> d_near_;
};

/// Records the exception that a call threw in `answer` and `texts`.
void write_error(const std::exception& error, Answer& answer, std::string& texts) {
    answer.thrown = dynamic_cast<const UnnoticedError*>(&error) != nullptr ? Thrown::unnoticed
                    : dynamic_cast<const CudaError*>(&error) != nullptr    ? Thrown::cuda
                                                                           : Thrown::other;
    texts = error.what();
}

template <typename Problem>
void answer(const Question& question) {
    auto& variants = question.is_more != 0 ? more_checks<Problem> : added_variants<Problem>;
    require(!variants.empty());
    Variant<Problem> variant = variants.front();
    static std::size_t workspace;  // its size in the checks' process, in numbers
    workspace = question.workspace - PreparedVariant<Problem>::kRedzone;
    variant.workspace = [](std::size_t, LaunchShape) { return workspace; };
    std::optional<Setting> settings[2];
    if (question.forbids_early_exit != 0) settings[0].emplace("CUDA_SIM_EARLY_EXIT", 0);
    if (question.ends_only != 0) settings[1].emplace("CUDA_SIM_ENDS", 2);

    Answer answer{question.number, Thrown::nothing, 0, 0};
    std::string texts;
    typename PreparedVariant<Problem>::Contents contents;
    {
        const Input<Problem> input(question, variant);
        contents.results.resize(variant.results + PreparedVariant<Problem>::kRedzone);
        contents.workspace.resize(question.workspace);
        for (Results* const numbers : {&contents.results, &contents.workspace})
            require(receive(numbers->data(), numbers->size() * sizeof((*numbers)[0])));
        PreparedVariant<Problem> prepared(variant, question.n, {question.grid, question.block});
        prepared.set(contents);
        try {
            prepared.call(input.data());
        } catch (const std::exception& error) {
            write_error(error, answer, texts);
        }
        try {
            contents = prepared.contents();
        } catch (const std::exception& error) {
            if (answer.thrown == Thrown::nothing) write_error(error, answer, texts);
        }
    }  // memory is freed before a fault is forgotten
    if (answer.thrown != Thrown::nothing) {
        const sim::Fault fault = sim::fault();
        answer.fault_kind = static_cast<std::uint32_t>(fault.kind);
        for (const std::string& text :
             {fault.kernel, fault.launched_at, fault.block, fault.thread, fault.line, fault.message})
            texts += '\0' + text;
        forget_fault();
    }
    texts.resize(std::min<std::size_t>(texts.size(), kMostText));
    answer.text_length = static_cast<std::uint32_t>(texts.size());
    std::fflush(stdout);
    require(send(&answer, sizeof(answer)));
    for (const Results* const numbers : {&contents.results, &contents.workspace})
        require(send(numbers->data(), numbers->size() * sizeof((*numbers)[0])));
    require(send(texts.data(), texts.size()));
}

}  // namespace

int main() {
    try {
        for (Question question{}; receive(&question, sizeof(question));)
            if (!added_variants<Histogram>.empty())
                answer<Histogram>(question);
            else
                answer<SumOfSquares>(question);
        require_no_other_threads();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "simulator: preparing an input failed: %s\n", error.what());
        return 1;
    }
}
