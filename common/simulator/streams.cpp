/// @file
/// @brief The runtime API: streams and events.
#include "streams.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "device.hpp"
#include "errors.hpp"
#include "handles.hpp"

namespace sim {
namespace {

struct Event {
    std::chrono::steady_clock::time_point time;
    unsigned int ordered = 0, done = 0;  // how many records were enqueued, and how many are done
    cudaStream_t stream = nullptr;       // where the last one was enqueued
};

struct Work {
    std::function<void()> run;
    std::shared_ptr<Event> event = nullptr;  // to wait for first
    unsigned int record = 0;                 // which record of it
    cudaStream_t recorded_in = nullptr;

    bool is_ready() const { return event == nullptr || event->done >= record; }
};

struct Stream {
    int device;
    bool blocking;
    std::deque<Work> work;
};

// Never destroyed, since destructors of static objects may still use them.
auto& streams = *new Handles<cudaStream_t, Stream>;
auto& events = *new Handles<cudaEvent_t, std::shared_ptr<Event>>;
auto& streams_lock = *new std::recursive_mutex;  // held while work is done
bool is_working = false;                         // the work itself waits for nothing

bool is_default(cudaStream_t stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }

std::size_t random_below(std::size_t count) {
    static std::mt19937_64 random;
    static std::uint64_t seeded_with = 0;
    if (seeded_with != seed()) random.seed(seeded_with = seed());
    return random() % count;
}

/// Does the first work in a stream, or the work in another stream that it waits for.
void advance(Stream* stream) {
    while (!stream->work.front().is_ready()) stream = streams.find(stream->work.front().recorded_in);
    const Work work = std::move(stream->work.front());
    stream->work.pop_front();
    is_working = true;
    const int before = choose_device(stream->device);
    work.run();
    choose_device(before);
    is_working = false;
}

/// Works until the chosen streams have no work left.
template <typename Choice>
void wait_for_each(Choice is_chosen) {
    const std::lock_guard lock(streams_lock);
    if (is_working) return;
    for (;;) {
        std::vector<Stream*> waiting;
        for (auto& [handle, stream] : streams.all())
            if (!stream.work.empty() && is_chosen(stream)) waiting.push_back(&stream);
        if (waiting.empty()) return;
        advance(waiting[random_below(waiting.size())]);
    }
}

void append(cudaStream_t handle, Work work) {
    const std::lock_guard lock(streams_lock);
    Stream* const stream = streams.find(handle);
    stream->work.push_back(std::move(work));
    if (random_below(8) == 0) advance(stream);
}

cudaError_t finish_with_handle(bool valid) {
    return finish(valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

bool is_valid(cudaStream_t stream) { return is_default(stream) || streams.find(stream) != nullptr; }

}  // namespace

cudaError_t stream_error(cudaStream_t stream) {
    const Stream* const found = is_default(stream) ? nullptr : streams.find(stream);
    const bool valid = found == nullptr ? is_default(stream) : found->device == current_device();
    return valid ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

bool is_late(cudaStream_t stream) {
    return seed() != 0 && !is_default(stream) && streams.find(stream) != nullptr;
}

void order(cudaStream_t stream, std::function<void()> work) { append(stream, {std::move(work)}); }

void wait_for(cudaStream_t stream) {
    if (is_default(stream)) return wait_for_blocking_streams();
    const std::lock_guard lock(streams_lock);
    Stream* const found = streams.find(stream);
    while (!is_working && found != nullptr && !found->work.empty()) advance(found);
}

void wait_for_blocking_streams() {
    wait_for_each([](const Stream& stream) { return stream.blocking && stream.device == current_device(); });
}

void wait_for_device() {
    wait_for_each([](const Stream& stream) { return stream.device == current_device(); });
}

}  // namespace sim

using sim::answer;
using sim::finish;

// --- Streams ------------------------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
    if (stream == nullptr || flags > cudaStreamNonBlocking) return answer(cudaErrorInvalidValue);
    const std::lock_guard lock(sim::streams_lock);  // another thread may be iterating over all streams
    *stream = sim::streams.create({sim::current_device(), flags == cudaStreamDefault, {}});
    return finish(cudaSuccess);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    const std::lock_guard lock(sim::streams_lock);
    sim::wait_for(stream);
    return sim::finish_with_handle(sim::streams.destroy(stream));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (!sim::is_valid(stream)) return finish(cudaErrorInvalidResourceHandle);
    sim::wait_for(stream);
    return finish(cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
    const std::lock_guard lock(sim::streams_lock);
    const auto* const found = sim::events.find(event);
    if (found == nullptr || !sim::is_valid(stream)) return finish(cudaErrorInvalidResourceHandle);
    const sim::Event& recorded = **found;
    if (sim::is_late(stream))
        sim::append(stream, {[] {}, *found, recorded.ordered, recorded.stream});
    else if (recorded.done < recorded.ordered)
        sim::wait_for(recorded.stream);
    return finish(cudaSuccess);
}

// --- Events -------------------------------------------------------------------------------------

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
    if (event == nullptr) return answer(cudaErrorInvalidValue);
    *event = sim::events.create(std::make_shared<sim::Event>());
    return finish(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return sim::finish_with_handle(sim::events.destroy(event));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const std::lock_guard lock(sim::streams_lock);
    const auto* const found = sim::events.find(event);
    if (found == nullptr || !sim::is_valid(stream)) return finish(cudaErrorInvalidResourceHandle);
    const auto record = [event = *found, number = ++(*found)->ordered] {
        event->time = std::chrono::steady_clock::now();
        event->done = number;
    };
    (*found)->stream = stream;
    if (sim::is_late(stream)) {
        sim::order(stream, record);
    } else {
        sim::wait_for(stream);
        record();
    }
    return finish(cudaSuccess);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    const auto* const found = sim::events.find(event);
    if (found == nullptr) return finish(cudaErrorInvalidResourceHandle);
    const std::shared_ptr<sim::Event> recorded = *found;
    const std::lock_guard lock(sim::streams_lock);
    if (sim::Stream* const stream = sim::streams.find(recorded->stream))
        while (recorded->done < recorded->ordered) sim::advance(stream);
    return finish(cudaSuccess);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
    if (milliseconds == nullptr) return answer(cudaErrorInvalidValue);
    const auto *const first = sim::events.find(start), *const last = sim::events.find(stop);
    if (first == nullptr || last == nullptr || (*first)->ordered == 0 || (*last)->ordered == 0)
        return finish(cudaErrorInvalidResourceHandle);
    if ((*first)->done < (*first)->ordered || (*last)->done < (*last)->ordered)
        return finish(cudaErrorNotReady);
    *milliseconds = std::chrono::duration<float, std::milli>((*last)->time - (*first)->time).count();
    return finish(cudaSuccess);
}
