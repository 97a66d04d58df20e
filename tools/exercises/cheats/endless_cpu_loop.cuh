// 01.1: an endless loop in the CPU's code
// rejected: the program was stopped after 30 seconds of CPU time, the limit of a check.
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    volatile unsigned int turns = 0;
    while (n > 0) turns = turns + data[0];
}
