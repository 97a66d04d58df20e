/// @file
/// @brief The cost of a request: sectors of global memory, wavefronts of shared memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace lens {

constexpr unsigned int kLanes = 32, kBanks = 32, kSectorBytes = 32, kWordBytes = 4;

/// @brief The addresses that the lanes of a warp request in one instruction.
///
/// Lanes that do not take part are at another place in the code, or have returned.
struct Request {
    std::uint32_t lanes = 0;                       ///< bit i: lane i takes part
    unsigned int bytes = 0;                        ///< how many each lane requests
    std::array<std::uintptr_t, kLanes> address{};  ///< element i: where lane i's bytes begin
};

/// The traffic of a request in global memory.
struct Sectors {
    unsigned int count = 0;  ///< how many different sectors, of 32 bytes each
    unsigned int bytes = 0;  ///< how many different bytes the lanes request
};

inline Sectors sectors(const Request& request) {
    // A hash table of the sectors seen, with a bit per byte. 32 lanes of 96 bytes touch at most 128 sectors.
    constexpr unsigned int kSlots = 128, kMostBytes = 96;
    std::array<std::uintptr_t, kSlots> sector;
    std::array<std::uint32_t, kSlots> used{};
    Sectors result;
    if (request.bytes > kMostBytes) {  // a structure, which the hardware loads in pieces
        Request first = request, rest = request;
        first.bytes = kMostBytes;
        rest.bytes -= kMostBytes;
        for (std::uintptr_t& address : rest.address) address += kMostBytes;
        const Sectors one = sectors(first), others = sectors(rest);
        return {one.count + others.count, one.bytes + others.bytes};
    }
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        std::uintptr_t at = request.address[static_cast<unsigned int>(__builtin_ctz(lanes))];
        for (unsigned int left = request.bytes; left > 0;) {
            const std::uintptr_t number = at / kSectorBytes;
            const auto offset = static_cast<unsigned int>(at % kSectorBytes);
            const unsigned int here = left < kSectorBytes - offset ? left : kSectorBytes - offset;
            unsigned int slot = number % kSlots;
            while (used[slot] != 0 && sector[slot] != number) slot = (slot + 1) % kSlots;
            const auto needed = static_cast<std::uint32_t>(((std::uint64_t{1} << here) - 1) << offset);
            if (used[slot] == 0) ++result.count;
            result.bytes += static_cast<unsigned int>(__builtin_popcount(needed & ~used[slot]));
            sector[slot] = number;
            used[slot] |= needed;
            at += here;
            left -= here;
        }
    }
    return result;
}

/// @brief The sectors of an atomic operation in global memory. Calls `use` with the number of each.
///
/// The first round serves one lane of each address, the second round another lane, and so on. Each round
/// requests its sectors again. If the lanes touch many lines, Nsight Compute counts a few more sectors,
/// depending on the address of the array (docs/lens.md). NVIDIA documents no rule.
template <typename Use>
void atomic_sectors(const Request& request, const Use& use) {
    for (std::uint32_t left = request.lanes; left != 0;) {
        std::array<std::uintptr_t, kLanes> round, seen;
        unsigned int count = 0, sectors = 0;
        for (std::uint32_t lanes = left; lanes != 0; lanes &= lanes - 1) {
            const std::uintptr_t address = request.address[static_cast<unsigned int>(__builtin_ctz(lanes))];
            if (std::find(round.begin(), round.begin() + count, address) != round.begin() + count) continue;
            round[count++] = address;
            left &= ~(lanes & -lanes);
            const std::uintptr_t sector = address / kSectorBytes;
            if (std::find(seen.begin(), seen.begin() + sectors, sector) != seen.begin() + sectors) continue;
            seen[sectors++] = sector;
            use(sector);
        }
    }
}

/// The cost of a request in shared memory.
struct Wavefronts {
    unsigned int count = 0;
    unsigned int bank = 0;   ///< the fullest bank
    unsigned int words = 0;  ///< how many different words of that bank the lanes need at a time
};

/// @brief The wavefronts of a request in shared memory.
///
/// A wavefront accesses one 4-byte word per bank. Any number of lanes may share the word. If each lane
/// requests 8 bytes, half a warp is served at a time, and if it requests 16 bytes, a quarter.
inline Wavefronts wavefronts(const Request& request) {
    const unsigned int words = request.bytes <= kWordBytes ? 1 : request.bytes / kWordBytes;
    const unsigned int at_a_time = words >= 4 ? kLanes / 4 : words >= 2 ? kLanes / 2 : kLanes;
    Wavefronts result;
    for (unsigned int first = 0; first < kLanes; first += at_a_time) {
        std::array<std::array<std::uintptr_t, kLanes>, kBanks> seen;
        std::array<unsigned int, kBanks> count{};
        unsigned int most = 0;
        for (unsigned int lane = first; lane < first + at_a_time; ++lane) {
            if ((request.lanes >> lane & 1) == 0) continue;
            for (unsigned int k = 0; k < words; ++k) {
                const std::uintptr_t word = request.address[lane] / kWordBytes + k;
                const unsigned int bank = word % kBanks;
                unsigned int i = 0;
                while (i < count[bank] && seen[bank][i] != word) ++i;
                if (i < count[bank] || i == kLanes) continue;
                seen[bank][count[bank]++] = word;
                if (count[bank] > most) most = count[bank];
                if (count[bank] > result.words) result.words = count[bank], result.bank = bank;
            }
        }
        result.count += most;
    }
    return result;
}

/// @return How many lanes request the address that most of them request.
inline unsigned int most_lanes_on_one_address(const Request& request) {
    unsigned int most = 0;
    for (std::uint32_t left = request.lanes; left != 0;) {
        const std::uintptr_t address = request.address[static_cast<unsigned int>(__builtin_ctz(left))];
        unsigned int same = 0;
        for (std::uint32_t lanes = left; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<unsigned int>(__builtin_ctz(lanes));
            if (request.address[lane] != address) continue;
            ++same;
            left &= ~(1u << lane);
        }
        most = std::max(most, same);
    }
    return most;
}

}  // namespace lens
