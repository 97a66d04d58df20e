/// @file
/// @brief Which lanes of a warp run together, as on a warp that converges.
#include <algorithm>

#include "simulator/cooperation.h"
#include "worker.hpp"

namespace sim {

/// Where a thread waits that gathers with any other lanes of its warp.
constexpr const char* kGathers = "a warp that converges";

unsigned int converged_lanes(Site site) {
    return running_worker == nullptr ? 0 : running_worker->gather(site);
}

/// @brief Waits until no thread of the block can continue, except by ending the gathering on some line.
/// @return The lanes of the warp that have gathered on this line.
unsigned int Worker::gather(Site site) {
    const InSimulator here(*this);
    Thread& thread = *threads_.current;
    WarpValues result;
    thread.function = kGathers;
    thread.mask = 0;  // it is not known which lanes will arrive
    thread.result = &result;
    begin_wait(thread, ThreadState::at_warp, site);
    leave(thread);
    return result.lanes;
}

/// Makes all gathering threads ready. @return Whether there was one.
bool Worker::release_gatherings() {
    bool any = false;
    for (unsigned int i = 0; i < threads_.count; ++i) {
        const Thread& first = threads_.all[i];
        if (first.state != ThreadState::at_warp || first.function != kGathers) continue;
        unsigned int lanes = 0;
        const unsigned int end = std::min(i / warpSize * warpSize + warpSize, threads_.count);
        for (unsigned int j = end; j-- > i;) {
            Thread& other = threads_.all[j];
            if (other.state != ThreadState::at_warp || other.function != kGathers ||
                !(other.site == first.site))
                continue;
            lanes |= 1u << j % warpSize;
            other.state = ThreadState::ready;
            --threads_.waiting;
            if (j != i) continue;
            for (unsigned int k = i; k < end; ++k)
                if ((lanes >> k % warpSize & 1) != 0) threads_.all[k].result->lanes = lanes;
        }
        any = true;
    }
    return any;
}

}  // namespace sim
