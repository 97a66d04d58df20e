/// @file
/// @brief Which accesses race.
#include "shadow.hpp"

namespace lens {

std::optional<Epoch> Cell::access(Kind kind, Epoch now, unsigned int thread, const Clocks& clocks) {
    const auto races = [&](Epoch other) {
        return other.exists() && !(now.atomic && other.atomic) && !clocks.happened_before(other, thread);
    };
    std::optional<Epoch> found;
    if (races(write)) found = write;
    if (kind != Kind::load)
        for (const Epoch read : reads)
            if (races(read)) found = read;
    if (races(atomic)) found = atomic;

    if (now.atomic && kind != Kind::load) {
        atomic = now;
    } else if (kind == Kind::store) {
        *this = {};
        write = now;
    } else {
        for (Epoch& read : reads)
            if (!races(read)) {
                read = now;
                return found;
            }
        // Both are unordered with this one. A later write that is ordered after both may still race with it.
        const bool one_block = reads[0].block == reads[1].block;
        const bool one_warp = one_block && reads[0].thread / 32 == reads[1].thread / 32;
        if ((one_block && now.block != reads[0].block) ||
            (one_warp && now.thread / 32 != reads[0].thread / 32))
            reads[1] = now;
    }
    return found;
}

void Cells::split(std::size_t width) {
    std::vector<Cell> finer(kBytes / width);
    for (std::size_t i = 0; i < finer.size(); ++i) finer[i] = cells_[i * width / width_];
    cells_ = std::move(finer);
    width_ = width;
}

}  // namespace lens
