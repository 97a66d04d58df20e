// 01.1: a thread that still runs when the verdict is printed
// rejected: a thread still runs
#include <mutex>
#include <thread>
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    static std::mutex never;
    static std::jthread* left = nullptr;
    if (left == nullptr) {
        never.lock();
        left = new std::jthread([] { never.lock(); });
    }
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
}
