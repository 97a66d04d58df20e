/// @file
/// @brief Checks that the simulator finds and names a missing wait of the host for a stream.
#pragma once

#include <unistd.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "hazards.cuh"

namespace hazard_checks {

/// Both set a number to 7: `store` by a store, and `read_number` by a system call.
void store(int* number) { *number = 7; }
void read_number(int* number) {
    int ends[2];
    const int seven = 7;
    if (pipe(ends) != 0 || write(ends[1], &seven, sizeof(int)) != sizeof(int) ||
        read(ends[0], number, sizeof(int)) != sizeof(int))
        throw std::runtime_error("no pipe");
    for (const int end : ends) close(end);
}

TEST_CASE("a pinned buffer that is filled before it has been copied is named, also if the system fills it") {
    const std::string in_stream = "cudaMemcpyAsync in stream 1" + kIn + " reads " + kPinned;
    for (const auto fill : {store, read_number})
        for (const bool waits : {false, true}) {
            const std::string words = said([=] {
                const Program p;
                *p.a = 1;
                copy_out(p.b, p.out, p.s.stream);  // this copy need not have run
                copy_in(p.in, p.a, p.s.stream);
                if (waits) CUDA_CHECK(cudaStreamSynchronize(p.s.stream));
                fill(p.a);
            });
            CHECK(words ==
                  (waits ? "" : in_stream + ", which the host has changed without waiting for this copy"));
        }
    CHECK(fault_checks::says(words_of([] {  // even though a kernel has written there
                                 const Program p;
                                 *p.a = 0;
                                 CUDA_CHECK(cudaMemset(p.in, 0, sizeof(int)));
                                 launch(p.in, p.a, p.s.stream);
                                 copy_in(p.out, p.a, p.s.stream);
                                 *p.a = 7;
                             }),
                             {"stream 1", kPinned, "the host has changed"}));
    CHECK(fault_checks::says(words_of([] {  // this program creates no stream
                                 int *const number = pinned_int(), *const d_number = device_int();
                                 *number = 1;
                                 copy_in(d_number, number, nullptr);
                                 *number = 7;
                                 cudaFree(d_number);
                                 cudaFreeHost(number);
                             }),
                             {"the default stream", kPinned, "the host has changed"}));
}

TEST_CASE(
    "using a copy's target before waiting for the copy ends the program with a line that names the copy") {
    const auto use = [](bool writes, void (*wait)(cudaStream_t)) {
        return fault_checks::process_of([=] {
            const Program p;
            copy_out(p.b, p.in, p.t.stream);
            wait(p.t.stream);
            volatile int* const number = p.b;
            if (writes)
                *number = 1;
            else
                (void)*number;
        });
    };
    const auto event = [](cudaStream_t stream) {
        cudaEvent_t copied;
        cudaEventCreate(&copied);
        cudaEventRecord(copied, stream);
        cudaEventSynchronize(copied);
    };
    for (const bool writes : {false, true}) {
        for (const auto& wait :
             {+[](cudaStream_t) {}, +[](cudaStream_t stream) { cudaStreamDestroy(stream); },
              +[](cudaStream_t) { cudaStreamSynchronize(nullptr); }}) {
            const auto [status, words] = use(writes, wait);
            CHECK(status == 1);
            CHECK(fault_checks::says(
                words, {"simulator: host code at common/simulator/checks/streams/host_hazards.cuh:",
                        " uses " + kPinned + ", which cudaMemcpyAsync in stream ",
                        kOut + " writes: the host has not waited for it"}));
        }
        for (const auto& wait : {+event, +[](cudaStream_t stream) { cudaStreamSynchronize(stream); },
                                 +[](cudaStream_t) { cudaDeviceSynchronize(); }})
            CHECK(use(writes, wait) == std::pair(0, std::string()));
    }
    const auto [status, words] = fault_checks::process_of([] {  // also if a kernel runs in another stream
        const Program p, q;
        copy_in(p.out, p.b, p.t.stream);
        copy_out(p.b, p.in, p.t.stream);
        launch(q.in, q.out, q.t.stream);
        cudaStreamSynchronize(q.t.stream);
        *const_cast<volatile int*>(p.b) = 1;
    });
    CHECK(status == 1);
    CHECK(fault_checks::says(words, {" uses " + kPinned, kOut + " writes: the host has not waited for it"}));
}

TEST_CASE("the host may use a copy's target after the first of two copies only if it waits for both") {
    for (const bool waits : {false, true}) {
        const auto [status, words] = fault_checks::process_of([=] {
            const Program p;
            copy_out(p.b, p.in, p.s.stream);
            cudaEvent_t copied;
            cudaEventCreate(&copied);
            cudaEventRecord(copied, p.s.stream);
            copy_out(p.b, p.in, p.s.stream);
            cudaEventSynchronize(copied);
            if (waits) cudaStreamSynchronize(p.s.stream);
            *const_cast<volatile int*>(p.b) = 1;
        });
        CHECK(status == (waits ? 0 : 1));
        CHECK(fault_checks::says(words, {"cudaMemcpyAsync in stream ", "the host has not waited for it"}) ==
              !waits);
    }
}

TEST_CASE("the host may use the bytes before and after those that a copy writes") {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto ended = fault_checks::process_of([=] {
        const DeviceBuffer<char> bytes(3 * page);
        char* pinned = nullptr;
        CUDA_CHECK(cudaMallocHost(&pinned, 3 * page));
        const Stream s;
        CUDA_CHECK(cudaMemcpyAsync(pinned + 1, bytes.data(), 3 * page - 2, cudaMemcpyDeviceToHost, s.stream));
        pinned[0] = pinned[3 * page - 1] = 1;
        CUDA_CHECK(cudaDeviceSynchronize());
    });
    CHECK(ended == std::pair(0, std::string()));
}

TEST_CASE("a copy's target stays inaccessible while a kernel uses the same pinned buffer") {
    constexpr std::size_t kBytes = 1 << 17;  // at least two pages
    for (const bool same_stream : {false, true}) {
        const auto [status, words] = fault_checks::process_of([=] {
            const Program p;
            const DeviceBuffer<char> bytes(kBytes);
            char* pinned = nullptr;
            CUDA_CHECK(cudaMallocHost(&pinned, 2 * kBytes));
            cudaEvent_t stored;
            cudaEventCreate(&stored);
            launch(p.in, reinterpret_cast<int*>(pinned), p.t.stream);
            cudaEventRecord(stored, p.t.stream);
            CUDA_CHECK(cudaMemcpyAsync(pinned + kBytes, bytes.data(), kBytes, cudaMemcpyDeviceToHost,
                                       same_stream ? p.t.stream : p.s.stream));
            cudaEventSynchronize(stored);
            *const_cast<volatile char*>(pinned + kBytes) = 1;
        });
        CHECK(status == 1);
        CHECK(fault_checks::says(words,
                                 {" uses byte 131072 of a pinned buffer", "which cudaMemcpyAsync in stream",
                                  " writes: the host has not waited for it"}));
    }
}

TEST_CASE("at a program's end, a kernel that has not run is named, and neither a copy nor one that has") {
    enum Work { kernel_after_copy, copy, kernel_that_has_run };
    for (const Work work : {kernel_after_copy, copy, kernel_that_has_run}) {
        const auto [status, words] = fault_checks::process_of([=] {
            const Program p, q;
            if (work != kernel_that_has_run) copy_in(p.in, p.a, p.t.stream);
            if (work != copy) launch(q.in, q.out, q.t.stream);
            if (work == kernel_that_has_run) copy_out(p.b, p.in, nullptr);
            int number = 0;
            if (work == kernel_that_has_run)  // the copy runs the kernel, but does not wait for it
                cudaMemcpy(&number, p.in, sizeof(int), cudaMemcpyDeviceToHost);
            std::exit(0);
        });
        CHECK(status == 0);
        CHECK(fault_checks::says(words, {"simulator: add_kernel in stream ",
                                         "has not run: the program ends without waiting for it"}) ==
              (work == kernel_after_copy));
        CHECK(words.empty() == (work != kernel_after_copy));
    }
}

}  // namespace hazard_checks
