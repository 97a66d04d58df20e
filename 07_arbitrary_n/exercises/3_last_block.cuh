/// @file
/// @brief Checks of exercise 07.3: what the last block leaves in the counter for a launch with another grid.

inline void sum_after_larger_grid(const int* d_data, std::size_t n, unsigned long long* d_sum,
                                  unsigned long long* d_workspace, LaunchShape shape) {
    // After one block less than twice as many, the remainder of a counter that only grows is 0 too early.
    sum_last_block(d_data, n, d_sum, d_workspace, {2 * fitting_grid(n, shape, 1) - 1, shape.block});
    sum_last_block(d_data, n, d_sum, d_workspace, shape);
}

inline const Variant<SumOfSquares> kMoreCheck = {
    .name = "",
    .idea = "Here, each launch follows one with more blocks: the last block must leave 0 in the counter.",
    .run = sum_after_larger_grid,
    .workspace = [](std::size_t n, LaunchShape shape) -> std::size_t {
        return 2 * std::size_t{fitting_grid(n, shape, 1)};
    },
    .zeroed_workspace = true};
