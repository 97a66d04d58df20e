// 01.1: a number of the course's code, replaced by an enumerator
// rejected: 'using' is for names of std
struct Names {
    enum Own : std::size_t { kBins = 255 };
};
using enum Names::Own;
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
}
