// 01.1: the loop that the tables compare with
// rejected: undefined reference to `Histogram::fast_on_cpu
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    const auto bins = Histogram::fast_on_cpu(data, n);
    for (std::size_t b = 0; b < bins.size(); ++b) tables[0][b] = bins[b];
}
