// 01.1: functions of the C++ library, replaced in the course's code
// rejected: 'std' is already a name in the course's code
struct std {
    using size_t = decltype(sizeof(0));
    template <typename T>
    static void fill(T*, T*, T) {}
};
inline void count_in_turn(const unsigned char* data, ::std::size_t n, Tables& tables) {
    for (::std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
}
