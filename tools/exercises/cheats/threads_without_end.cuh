// 01.1: threads that start threads
// rejected: the program started more than 2500 threads or processes
#include <thread>
inline void more() { std::jthread next(more); }
inline void count_in_turn(const unsigned char*, std::size_t, Tables&) { more(); }
