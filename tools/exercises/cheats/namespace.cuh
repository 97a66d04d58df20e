// 01.1: functions of another namespace
// rejected: 'namespace' is not allowed in an exercise
namespace check_detail {
inline int cases_of() { return 0; }
}  // namespace check_detail
inline void count_in_turn(const unsigned char* data, std::size_t n, Tables& tables) {
    for (std::size_t i = 0; i < n; ++i) ++tables[0][data[i]];
}
