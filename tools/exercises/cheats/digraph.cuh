// 01.1: a directive in other characters
// rejected: is not allowed in an exercise
// clang-format off
%:define tables tables_
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
}
