// 01.1: a comment that begins in a directive, after which the file leaves its namespace
// rejected: is not allowed in an exercise
// clang-format off
#pragma unroll /*
*/ 4 } namespace before { int x; } namespace student {
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
}
