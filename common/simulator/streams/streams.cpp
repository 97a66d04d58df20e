/// @file
/// @brief The runtime API: streams and events.
#include "streams.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../faults/errors.hpp"
#include "../grid/device.hpp"
#include "../memory/device_memory.hpp"
#include "handles.hpp"
#include "hazards.hpp"
#include "unawaited.hpp"

namespace sim {
namespace {

struct Event {
    bool has_time;
    int device = current_device();
    std::chrono::steady_clock::time_point time{};
    unsigned int enqueued = 0, done = 0;  // how many records of the event
    Clock before{};                       // the last record, and what comes before it
};

struct Stream {
    int device;
    bool blocking;
    bool destroyed = false;
    Clock before{};     // the operations that the stream's next one comes after
    Operations work{};  // what is not done yet
};

// Never destroyed, since destructors of static objects may still use them.
auto& streams = *new std::map<std::uintptr_t, Stream>;
auto& events = *new Handles<cudaEvent_t, std::shared_ptr<Event>>;
auto& streams_lock = *new std::recursive_mutex;  // held while work is done
auto& in_flight = *new Operations;               // from the first one that the host has not waited for
auto& waited = *new Clock;                       // what the host has waited for
bool is_working = false;        // whether enqueued work runs; waits by this work return at once
unsigned int works_now = 0;     // how many threads are between `begin_now` and `end_now`
std::uint64_t last_number = 0;  // the number of the latest operation in any stream
thread_local Work work_now{};

bool is_default(cudaStream_t stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }

/// @return Null for a stream that does not exist.
Stream* find(cudaStream_t handle) {
    const int device = current_device();
    if (is_default(handle))
        return &streams.try_emplace(static_cast<std::uintptr_t>(device), Stream{device, true}).first->second;
    const auto found = streams.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == streams.end() || found->second.destroyed ? nullptr : &found->second;
}

void join(Clock& clock, const Clock& other) {
    for (const auto& [stream, number] : other) clock[stream] = std::max(clock[stream], number);
}

/// Adds to a clock the work in a device's blocking streams, of which the default stream is one.
void join_default(Clock& clock, int device) {
    for (const auto& [id, stream] : streams)
        if (stream.blocking && stream.device == device) join(clock, stream.before);
}

std::size_t random_below(std::size_t count) {
    static std::uint64_t seeded_with = seed();
    static std::mt19937_64 random(seeded_with);
    if (seeded_with != seed()) random.seed(seeded_with = seed());
    return random() % count;
}

/// Does the first operation in a stream or, if it comes after pending ones in other streams, one of those.
void advance(Stream* stream) {
    const auto is_not_done = [](const auto& last) {
        const auto found = streams.find(last.first);
        return found != streams.end() && !found->second.work.empty() &&
               found->second.work.front()->number <= last.second;
    };
    for (;;) {
        const Clock& before = stream->work.front()->before;
        const auto missing = std::find_if(before.begin(), before.end(), is_not_done);
        if (missing == before.end()) break;
        stream = &streams.at(missing->first);
    }
    const std::shared_ptr<Operation> operation = stream->work.front();
    stream->work.pop_front();
    is_working = true;
    const int device = choose_device(stream->device);
    work_now = {operation->stream, operation->number};
    if (operation->is_kernel) begin_kernel(*operation, in_flight);
    std::string wrong = run_watched(*operation);
    if (operation->is_kernel) wrong = end_kernel();
    choose_device(device);
    is_working = false;
    operation->run = nullptr;
    if (!wrong.empty() && sticky_error() == cudaSuccess) set_fault(cudaErrorLaunchFailure, wrong);
}

/// Forgets work that is done and that the host has waited for, because all later work comes after it.
void forget_old_work() {
    while (!in_flight.empty() && in_flight.front()->done && in_flight.front()->is_in(waited))
        in_flight.pop_front();
    if (!in_flight.empty() || works_now != 0 || is_unawaited()) return;
    waited.clear();
    for (auto next = streams.begin(); next != streams.end();) {
        next->second.before.clear();
        next = next->second.destroyed ? streams.erase(next) : std::next(next);
    }
}

/// Does all work up to a clock: without a seed, in the order in which it was enqueued.
void do_up_to(const Clock& clock) {
    for (;;) {
        std::vector<Stream*> waiting;
        for (const auto& [id, number] : clock) {
            const auto found = streams.find(id);
            if (found == streams.end() || found->second.work.empty()) continue;
            if (found->second.work.front()->number <= number) waiting.push_back(&found->second);
        }
        if (waiting.empty()) break;
        advance(seed() != 0 ? waiting[random_below(waiting.size())]
                            : *std::min_element(waiting.begin(), waiting.end(), [](auto* a, auto* b) {
                                  return a->work.front()->number < b->work.front()->number;
                              }));
    }
    join(waited, clock);
}

/// Makes the host wait for all work up to a clock.
void wait_up_to(const Clock& clock) {
    if (is_working) return;
    do_up_to(clock);
    release_shared(clock);
    forget_old_work();
}

/// @return The work that the host waits for when it waits for a stream.
Clock work_before(cudaStream_t handle) {
    Clock result;
    if (is_default(handle))
        join_default(result, current_device());
    else if (const Stream* const stream = find(handle))
        result = stream->before;
    return result;
}

cudaError_t finish_with_handle(bool valid) {
    return finish(valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/// Called at the end of the program: reports a kernel that has not run.
void tell_undone() {
    const std::lock_guard lock(streams_lock);
    if (sticky_error() != cudaSuccess) return;
    for (const auto& operation : in_flight) {
        if (operation->done || !operation->is_kernel) continue;
        const std::string line = operation->calls.line();
        tell(std::string(operation->call) + " in " + stream_text(operation->stream) +
             (line.empty() ? "" : " (" + line + ")") +
             " has not run: the program ends without waiting for it");
        return;
    }
}

bool is_valid(cudaStream_t stream) { return find(stream) != nullptr; }

}  // namespace

cudaError_t stream_error(cudaStream_t stream, bool or_other_device) {
    const std::lock_guard lock(streams_lock);
    const Stream* const found = find(stream);
    const bool valid = found != nullptr && (or_other_device || found->device == current_device());
    return valid ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

bool is_late(cudaStream_t stream) {
    const std::lock_guard lock(streams_lock);
    if (!is_default(stream)) return find(stream) != nullptr;
    const bool created = std::any_of(streams.begin(), streams.end(), [](const auto& any) {
        return any.first >= kFirstStream && !any.second.destroyed;
    });
    return created || std::any_of(in_flight.begin(), in_flight.end(), [](const auto& operation) {
               return operation->is_kernel || !operation->uses.empty();
           });
}

bool is_captured(cudaStream_t stream) { return capture != nullptr && !is_default(stream); }

void enqueue(cudaStream_t handle, Operation new_operation) {
    const std::lock_guard lock(streams_lock);
    if (is_captured(handle)) return capture(new_operation);
    Stream& stream = *find(handle);
    join(stream.before, waited);
    if (is_default(handle)) {
        join_default(stream.before, stream.device);
        for (const Use& use : new_operation.uses) join_default(stream.before, device_of(use.begin));
    } else if (const auto found = streams.find(static_cast<std::uintptr_t>(stream.device));
               stream.blocking && found != streams.end()) {
        join(stream.before, found->second.before);
    }
    const auto operation = std::make_shared<Operation>(std::move(new_operation));
    operation->stream = is_default(handle) ? static_cast<std::uintptr_t>(stream.device)
                                           : reinterpret_cast<std::uintptr_t>(handle);
    operation->number = ++last_number;
    operation->before = stream.before;
    if (sticky_error() != cudaSuccess) return;
    if (const std::string wrong = conflict_text(*operation, in_flight); !wrong.empty())
        return set_fault(cudaErrorLaunchFailure, wrong);
    stream.before[operation->stream] = operation->number;
    watch_host(operation, in_flight);
    [[maybe_unused]] static const int at_exit = std::atexit(tell_undone);
    stream.work.push_back(operation);
    in_flight.push_back(operation);
}

void do_now(cudaStream_t handle, Operation operation) {
    const std::lock_guard lock(streams_lock);
    enqueue(handle, std::move(operation));
    // A kernel in another stream must not use the same memory. Whether it does is found only when it runs, so
    // it must run before the program can use the result of this operation.
    Operations kernels;
    std::copy_if(in_flight.begin(), in_flight.end(), std::back_inserter(kernels),
                 [](const auto& other) { return other->is_kernel; });
    wait_up_to(work_before(handle));
    for (const auto& kernel : kernels)
        while (!kernel->done) advance(&streams.at(kernel->stream));
}

void begin_now(cudaStream_t handle) {
    const std::lock_guard lock(streams_lock);
    do_up_to(work_before(handle));
    Stream* const stream = find(handle);
    forget_old_work();
    ++works_now;
    if (stream == nullptr) return;
    work_now = {static_cast<std::uintptr_t>(stream->device), ++last_number};
    stream->before[work_now.stream] = work_now.number;
}

void end_now() {
    const std::lock_guard lock(streams_lock);
    --works_now;
}

Work current_work() { return work_now; }

void wait_for(cudaStream_t stream) {
    const std::lock_guard lock(streams_lock);
    wait_up_to(work_before(stream));
}

void wait_for_device() {
    const std::lock_guard lock(streams_lock);
    Clock all;
    for (const auto& [id, stream] : streams)
        if (stream.device == current_device()) join(all, stream.before);
    wait_up_to(all);
}

void wait_for_all_devices() {
    const std::lock_guard lock(streams_lock);
    Clock all;
    for (const auto& [id, stream] : streams) join(all, stream.before);
    wait_up_to(all);
}

}  // namespace sim

using sim::answer;
using sim::finish;

// --- Streams ------------------------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
    if (stream == nullptr || flags > cudaStreamNonBlocking) return answer(cudaErrorInvalidValue);
    static std::uintptr_t next =
        sim::kFirstStream;  // never reused, so that a destroyed stream's use is found
    const std::lock_guard lock(sim::streams_lock);
    *stream = reinterpret_cast<cudaStream_t>(next);
    sim::streams.try_emplace(next++, sim::Stream{sim::current_device(), flags == cudaStreamDefault});
    return finish(cudaSuccess);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    const std::lock_guard lock(sim::streams_lock);
    sim::Stream* const found = sim::is_default(stream) ? nullptr : sim::find(stream);
    if (found != nullptr) found->destroyed = true;  // the stream's work is still done
    sim::forget_old_work();
    return sim::finish_with_handle(found != nullptr);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    const std::lock_guard lock(sim::streams_lock);
    if (!sim::is_valid(stream)) return finish(cudaErrorInvalidResourceHandle);
    sim::wait_for(stream);
    return finish(cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
    const std::lock_guard lock(sim::streams_lock);
    const auto* const found = sim::events.find(event);
    if (found == nullptr || !sim::is_valid(stream)) return finish(cudaErrorInvalidResourceHandle);
    sim::join(sim::find(stream)->before, (*found)->before);
    return finish(cudaSuccess);
}

// --- Events -------------------------------------------------------------------------------------

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
    if (event == nullptr) return answer(cudaErrorInvalidValue);
    const bool has_time = (flags & cudaEventDisableTiming) == 0;
    *event = sim::events.create(std::make_shared<sim::Event>(sim::Event{has_time}));
    return finish(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return sim::finish_with_handle(sim::events.destroy(event));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const std::lock_guard lock(sim::streams_lock);
    const auto* const found = sim::events.find(event);
    if (found == nullptr || !sim::is_valid(stream) || (*found)->device != sim::find(stream)->device)
        return finish(cudaErrorInvalidResourceHandle);
    const auto record = [event = *found, number = ++(*found)->enqueued] {
        event->time = std::chrono::steady_clock::now();
        event->done = number;
    };
    if (sim::is_late(stream))
        sim::enqueue(stream, {"cudaEventRecord", {}, record});
    else
        record();
    (*found)->before = sim::find(stream)->before;
    return finish(cudaSuccess);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    const auto* const found = sim::events.find(event);
    if (found == nullptr) return finish(cudaErrorInvalidResourceHandle);
    const std::lock_guard lock(sim::streams_lock);
    sim::wait_up_to((*found)->before);
    return finish(cudaSuccess);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
    if (milliseconds == nullptr) return answer(cudaErrorInvalidValue);
    const auto *const first = sim::events.find(start), *const last = sim::events.find(stop);
    if (first == nullptr || last == nullptr || (*first)->device != (*last)->device)
        return finish(cudaErrorInvalidResourceHandle);
    for (const auto& event : {*first, *last})
        if (!event->has_time || event->enqueued == 0) return finish(cudaErrorInvalidResourceHandle);
    if ((*first)->done < (*first)->enqueued || (*last)->done < (*last)->enqueued)
        return finish(cudaErrorNotReady);
    *milliseconds = std::chrono::duration<float, std::milli>((*last)->time - (*first)->time).count();
    return finish(cudaSuccess);
}
