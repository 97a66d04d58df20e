/// @file
/// @brief Checks of pages that kernels and the host share: which pages the host may use before a wait.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <thread>

#include "shared_memory.cuh"

namespace hazard_checks {

const std::ptrdiff_t kPage = sysconf(_SC_PAGESIZE) / static_cast<std::ptrdiff_t>(sizeof(int));

/// Managed memory of whole pages, filled with zeros.
int* managed_pages(std::ptrdiff_t pages) {
    int* result = nullptr;
    const auto bytes = static_cast<std::size_t>(pages * kPage) * sizeof(int);
    CUDA_CHECK(cudaMallocManaged(&result, bytes));
    std::memset(result, 0, bytes);
    return result;
}

/// Adds 1 to `count` numbers, one after the other.
__global__ void walk_kernel(int* numbers, std::ptrdiff_t first, std::ptrdiff_t step, int count) {
    for (int k = 0; k < count; ++k) ++numbers[first + k * step];
}
void walk(int* numbers, std::ptrdiff_t first, std::ptrdiff_t step, int count) {
    walk_kernel<<<1, 1>>>(numbers, first, step, count);
}

void read_at(const int* number) { (void)*const_cast<const volatile int*>(number); }
void store_at(int* number) { *const_cast<volatile int*>(number) = 1; }

/// Whether a program ends because the host has not waited for a kernel that uses a byte of managed memory.
template <typename Program>
bool misses_wait(Program program, int number) {
    const auto [status, said] = fault_checks::process_of(program);
    CAPTURE(said, number);
    CHECK(status != 2);
    if (status == 0) CHECK(said.empty());
    return status == 1 &&
           fault_checks::says(said, {" uses byte " + std::to_string(number * 4) + " of a managed buffer",
                                     "the host has not waited for it"});
}

__global__ void back_and_forth_kernel(int* numbers, std::ptrdiff_t page) {
    numbers[2 * page] = 1;
    numbers[page + 1] = numbers[0] + numbers[page];
    numbers[2 * page] += 2;
}

TEST_CASE("a kernel may use many pages of managed memory, in any order") {
    CHECK(fault_checks::process_of([] {
              int* const numbers = managed_pages(100);
              walk(numbers, 99 * kPage, -kPage, 100);
              CUDA_CHECK(cudaDeviceSynchronize());
              for (int page = 0; page < 100; ++page)
                  if (numbers[page * kPage] != 1) _exit(2);
              back_and_forth_kernel<<<1, 1>>>(numbers, kPage);
              CUDA_CHECK(cudaDeviceSynchronize());
              if (numbers[kPage + 1] != 2 || numbers[2 * kPage] != 3) _exit(2);
          }) == kNothing);
}

TEST_CASE("a kernel's use of the byte right past the last page of managed memory is found") {
    CHECK(fault_checks::says(
        words_of([] { walk(managed_pages(5), 0, kPage, 6); }),
        {"walk_kernel", "uses numbers[", "the byte right past the end of a managed buffer"}));
}

TEST_CASE("a missing wait is found at a page's first number, and after a use of others in the page") {
    CHECK(misses_wait(
        [] {
            int* const numbers = managed_pages(1);
            walk(numbers, 1, -1, 2);
            read_at(numbers);
        },
        0));
    CHECK(misses_wait(
        [] {
            int* const numbers = managed_pages(1);
            walk(numbers, 0, 1, 100);
            read_at(numbers + 200);
            store_at(numbers);
        },
        0));
}

TEST_CASE("the host's use of device memory is found also while a kernel uses managed memory") {
    const auto [status, said] = fault_checks::process_of([] {
        int* const d_number = device_int();
        walk(managed_pages(2), 0, 1, 1);
        read_at(d_number);
    });
    CHECK(status == 1);
    CHECK(fault_checks::says(said, {" uses " + kNumber + ". Only kernels, launched with"}));
}

TEST_CASE("the host's use of managed memory that has been freed is found") {
    const auto [status, said] = fault_checks::process_of([] {
        int* const numbers = managed_pages(1);
        CUDA_CHECK(cudaFree(numbers));
        read_at(numbers);
    });
    CHECK(status == 1);
    CHECK(fault_checks::says(said, {" uses byte 0 of a managed buffer of ", " and freed\n"}));
}

/// Makes more launches than the simulator remembers, on two lines, because it watches only so many per line.
void walk_often(int* numbers) {
    walk(numbers, kPage, kPage, 3);
    for (int k = 0; k < 20; ++k) walk_kernel<<<1, 1>>>(numbers, 1, 1, 1);
    for (int k = 0; k < 20; ++k) walk_kernel<<<1, 1>>>(numbers, k, 1, 1);
}

TEST_CASE("a missing wait for the last of many kernels is found") {
    CHECK(misses_wait(
        [] {
            int* const numbers = managed_pages(4);
            walk_often(numbers);
            read_at(numbers + 19);
        },
        19));
}

TEST_CASE("another kernel changes neither which pages the host may use, nor which it may not") {
    for (const bool waits : {false, true})
        CHECK(misses_wait(
                  [=] {
                      int* const numbers = managed_pages(3);
                      walk(numbers, kPage - 1, 1, 2);
                      store_at(numbers);
                      launch(device_int(), device_int(), nullptr);
                      store_at(numbers);
                      store_at(numbers + 2 * kPage);
                      if (waits) CUDA_CHECK(cudaDeviceSynchronize());
                      read_at(numbers + kPage);
                  },
                  static_cast<int>(kPage)) == !waits);
}

TEST_CASE("after a copy of managed memory, the host may use its pages, but not their neighbours") {
    for (const int copied : {1, 2})
        for (const int used : {0, 1, 2, 3})
            CHECK(misses_wait(
                      [=] {
                          const DeviceBuffer<int> page(static_cast<std::size_t>(kPage));
                          int* const numbers = managed_pages(4);
                          walk(numbers, 0, kPage, 4);
                          CUDA_CHECK(cudaMemcpyAsync(page.data(), numbers + copied * kPage, page.bytes(),
                                                     cudaMemcpyDeviceToDevice));
                          read_at(numbers + used * kPage);
                      },
                      used * static_cast<int>(kPage)) == (used != copied));
}

TEST_CASE("the host may store at the beginning of a page that a kernel reads, after one that it writes") {
    CHECK(fault_checks::process_of([] {
              int* const numbers = managed_pages(2);
              add_many(numbers + kPage + 1, 1, numbers);
              store_at(numbers + kPage);
          }) == kNothing);
}

TEST_CASE("of two kernels that store in the same page, a missing wait for the second is found") {
    for (const bool waits : {false, true})
        for (const int used : {0, 1})
            CHECK(misses_wait(
                      [=] {
                          const Shared s;
                          const Stream one(cudaStreamNonBlocking), two(cudaStreamNonBlocking);
                          add_many(s.in, 1, s.out, one.stream);
                          add_many(s.in, 1, s.out + 1, two.stream);
                          cudaMemcpy(s.other, device_int(), sizeof(int),
                                     cudaMemcpyDeviceToHost);  // does both
                          CUDA_CHECK(cudaStreamSynchronize(one.stream));
                          if (waits) CUDA_CHECK(cudaStreamSynchronize(two.stream));
                          if (static_cast<volatile const int*>(s.out)[used] != 2) _exit(2);
                      },
                      used) == (used == 1 && !waits));
}

TEST_CASE("the host waits for a kernel although a stream has been destroyed since its launch") {
    CHECK(after_launch(
              [](const Shared&) {
                  { const Stream other; }
                  cudaDeviceSynchronize();
              },
              reads) == kNothing);
}

TEST_CASE("memory is the host's where a reset has freed what another device's kernel uses") {
    CHECK(fault_checks::process_of([] {
              const stream_checks::TwoDevices devices;
              int* const numbers = managed_pages(2);
              cudaSetDevice(1);
              walk(numbers, 0, 1, 1);
              cudaSetDevice(0);
              cudaDeviceReset();
              int* const others[] = {managed_pages(2), managed_pages(2), managed_pages(2)};
              launch(device_int(), device_int(), nullptr);
              for (int* const other : others) store_at(other);
          }) == kNothing);
}

__global__ void meet_kernel(volatile int* started, volatile int* done, int* volatile* pointer,
                            int* d_number) {
    *started = 1;
    for (int k = 0; k < 100000000 && *done == 0; ++k) continue;  // the copy may wait for its end
    *d_number = 1;
    if (*pointer != nullptr) **pointer = 2;
}

TEST_CASE("while a kernel runs, a copy beside its numbers and an allocation leave it its memory") {
    const auto d_numbers = stream_checks::device_buffer(0);
    int *const started = pinned_int(), *const done = pinned_int(), *d_new = nullptr, result = 0;
    int** pointer = nullptr;
    CUDA_CHECK(cudaMallocHost(&pointer, sizeof(int*)));
    *started = *done = 0;
    *pointer = nullptr;
    std::thread other([&] {
        while (*const_cast<volatile int*>(started) == 0) std::this_thread::yield();
        int number = 0;
        cudaMemcpy(&number, d_numbers.data(), sizeof(int), cudaMemcpyDeviceToHost);
        cudaMalloc(&d_new, sizeof(int));
        *const_cast<int* volatile*>(pointer) = d_new;
        *const_cast<volatile int*>(done) = 1;
    });
    meet_kernel<<<1, 1>>>(started, done, pointer, d_numbers.data());
    other.join();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(d_numbers.to_host()[0] == 1);
    CHECK(cudaMemcpy(&result, d_new, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(result == 2);
    cudaFree(d_new);
    for (void* const pinned :
         {static_cast<void*>(started), static_cast<void*>(done), static_cast<void*>(pointer)})
        cudaFreeHost(pinned);
}

}  // namespace hazard_checks
