// 01.1: a comment that a backslash continues on the next line
// rejected: a backslash at the end of a line
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    // \

    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
}
