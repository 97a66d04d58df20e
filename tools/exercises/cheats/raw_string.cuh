// 01.1: text that readers may see differently
// rejected: a raw string is not allowed
constexpr auto kText = R"x(" */ )x";
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
}
