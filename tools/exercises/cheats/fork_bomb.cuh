// 01.1: endless processes, from host code
// rejected: 'fork' is not allowed in an exercise
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (;;) fork();
}
