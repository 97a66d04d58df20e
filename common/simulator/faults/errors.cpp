/// @file
/// @brief Errors, faults and mistakes: what CUDA calls return, and what is printed, at once or at the end.
#include "errors.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "../instrument/observer.hpp"
#include "../platform/platform.hpp"
#include "../platform/source_lines.hpp"
#include "simulator/cooperation.h"

namespace sim {
namespace {

// CUDA has a last error for each host thread, and a kernel's fault for the whole process.
thread_local cudaError_t last_error = cudaSuccess;
// The error that `explanation` explains. Both are kept even after the program has asked for the error; a
// later error replaces them, and a later call that succeeds may clear the explanation.
thread_local cudaError_t explained_error = cudaSuccess;
thread_local std::string explanation;
std::mutex fault_lock;
cudaError_t fault_error = cudaSuccess;
// Never destroyed, since they are read at exit: the fault, and its message preceded by CUDA's text for the
// error.
Fault& the_fault = *new Fault;
std::string& fault_string = *new std::string;
bool fault_is_told = true;
std::string& first_unseen = *new std::string;  ///< what failed, until the program asks for the last error
bool unseen_is_told = false;
std::set<std::string>& mistakes = *new std::set<std::string>;
std::string& last_words = *new std::string;

bool has_looks() {
    const char *const no_color = std::getenv("NO_COLOR"), *const kind = std::getenv("TERM");
    return platform::is_terminal() && (no_color == nullptr || *no_color == '\0') &&
           (kind == nullptr || std::string_view(kind) != "dumb");
}

/// Whether a word is a place, such as kernels.cuh:12.
bool is_place(std::string_view word) {
    const std::size_t colon = word.rfind(':');
    return colon != word.npos && colon + 1 < word.size() && word.find('.') < colon &&
           word.find_first_not_of("0123456789", colon + 1) == word.npos;
}

std::string with_looks(std::string_view message) {
    std::string text = "\33[1;31msimulator:\33[0m ";
    while (!message.empty()) {
        const std::size_t end = std::min(message.find_first_of(" ();,"), message.size());
        const std::string_view word = message.substr(0, end);
        const std::string_view place = word.substr(0, word.find_last_not_of(":.") + 1);
        const bool is_bold = is_place(place);
        text += is_bold ? "\33[1m" + std::string(place) + "\33[0m" : std::string(place);
        text += word.substr(place.size());
        text += message.substr(end, 1);
        message.remove_prefix(std::min(end + 1, message.size()));
    }
    return text;
}

/// At the program's end: prints a fault or an error that the program has not asked for. Such a fault makes
/// the program end with status 1. If CUDA_SIM_STRICT is set, so do an unchecked error and a mistake
/// (`tell_mistake`).
void end() {
    const bool has_fault = !fault_is_told;
    tell_fault();
    const std::string unseen = unseen_error();
    if (!unseen.empty() && !unseen_is_told) tell(unseen + ", and the program does not check for errors");
    if (!has_fault && unseen.empty() && mistakes.empty() && !last_words.empty()) tell(last_words);
    const bool is_strict = std::getenv("CUDA_SIM_STRICT") != nullptr;
    if (!has_fault && (!is_strict || (unseen.empty() && mistakes.empty()))) return;
    std::fflush(nullptr);
    if (observer != nullptr) observer->ends();
    std::_Exit(1);
}

void end_with_errors() { [[maybe_unused]] static const int at_exit = std::atexit(end); }

}  // namespace

void tell(const std::string& message) {
    const std::string text = has_looks() ? with_looks(message) : "simulator: " + message;
    std::fprintf(stderr, "%s\n", text.c_str());
}

cudaError_t set_error(cudaError_t error, std::string why) {
    explanation = std::move(why);
    return last_error = explained_error = error;
}

void tell_mistake(const std::string& what, const std::string& of) {
    end_with_errors();
    const std::lock_guard<std::mutex> lock(fault_lock);
    if (mistakes.insert(of.empty() ? what : of).second) tell(what);
}

void tell_at_end(std::string what) {
    end_with_errors();
    const std::lock_guard<std::mutex> lock(fault_lock);
    last_words = std::move(what);
}

void note_unseen_error(const std::string& what, Site site) {
    if (sticky_error() != cudaSuccess) return;  // a sticky error is reported anyway
    end_with_errors();
    const std::string words = what + " at " + site.file + ":" + std::to_string(site.line) +
                              " failed: " + cudaGetErrorString(last_error);
    const std::lock_guard<std::mutex> lock(fault_lock);
    if (!first_unseen.empty()) return;
    first_unseen = words;
    unseen_is_told = false;
}

std::string unseen_error() {
    if (sticky_error() != cudaSuccess) return {};
    const std::lock_guard<std::mutex> lock(fault_lock);
    return first_unseen;
}

void discard_error(cudaError_t error, const char* call, Site site) {
    if (error != cudaSuccess && error == last_error) note_unseen_error(call, site);
}

void tell_fault() {
    const std::lock_guard<std::mutex> lock(fault_lock);
    if (!fault_is_told) tell(the_fault.message);
    fault_is_told = true;
}

void set_fault(cudaError_t error, Fault fault) {
    end_with_errors();
    tell_fault();
    std::string words = std::string(cudaGetErrorString(error)) + ": " + fault.message;
    const std::lock_guard<std::mutex> lock(fault_lock);
    last_error = error;
    if (error != cudaErrorInvalidValue) fault_error = error;
    the_fault = std::move(fault);
    fault_string = std::move(words);
    fault_is_told = false;
    if (error == cudaErrorInvalidValue) {  // a refused launch, whose message is printed at once
        tell(the_fault.message);
        fault_is_told = unseen_is_told = true;
        first_unseen = the_fault.message;
    }
}

cudaError_t sticky_error() {
    const std::lock_guard<std::mutex> lock(fault_lock);
    return fault_error;
}

void forget_fault() {
    tell_fault();
    const std::lock_guard<std::mutex> lock(fault_lock);
    fault_error = cudaSuccess;
    the_fault = {};
}

const char* last_fault() {
    const std::lock_guard<std::mutex> lock(fault_lock);
    fault_is_told = true;
    return the_fault.message.c_str();
}

Fault fault() {
    const std::lock_guard<std::mutex> lock(fault_lock);
    return the_fault;
}

/// Called when the program asks for the last error.
static cudaError_t seen(cudaError_t error) {
    if (error == cudaSuccess) return error;
    const std::lock_guard<std::mutex> lock(fault_lock);
    first_unseen.clear();
    return error;
}

void tell_cpu_fault(const std::string& what) {
    const std::string line = Calls().line();
    tell("host code" + (line.empty() ? "" : " at " + line) + " uses " + what);
}

void fail_on_cpu(const char* what) {
    tell_cpu_fault(what);
    std::abort();
}

cudaError_t answer(cudaError_t error) { return error == cudaSuccess ? error : set_error(error); }

cudaError_t finish(cudaError_t error, std::string why) {
    const cudaError_t sticky = sticky_error();
    if (sticky != cudaSuccess) return set_error(sticky);
    if (error != cudaSuccess) return set_error(error, std::move(why));
    explanation.clear();
    return cudaSuccess;
}

}  // namespace sim

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define X(name, value, text) \
    case name: return #name;
        SIM_ERRORS(X)
#undef X
    }
    return "unrecognized error code";
}

static const char* text_of(cudaError_t error) {
    switch (error) {
#define X(name, value, text) \
    case name: return text;
        SIM_ERRORS(X)
#undef X
    }
    return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
    if (error != cudaSuccess && error == sim::sticky_error()) {
        sim::last_fault();
        return sim::fault_string.c_str();
    }
    if (error != sim::explained_error || sim::explanation.empty()) return text_of(error);
    thread_local std::string words;
    words = std::string(text_of(error)) + " (" + sim::explanation + ")";
    return words.c_str();
}

cudaError_t cudaPeekAtLastError() { return sim::seen(sim::last_error); }

cudaError_t cudaGetLastError() { return sim::seen(std::exchange(sim::last_error, cudaSuccess)); }
