// 01.1: an index that never reaches 2^32 elements
// rejected: stopped after 30 seconds of CPU time
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    unsigned int i = 0;
    for (; i + kTables <= n; i += kTables)
        for (unsigned int t = 0; t < kTables; ++t) ++tables[t][data[i + t]];
    for (; i < n; ++i) ++tables[0][data[i]];
}
