/// @file
/// @brief Checks of the happens-before order, against a model in which each thread keeps a list of all
/// accesses that it knows of.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../lens/clocks.hpp"
#include "../../lens/shadow.hpp"

namespace order_checks {

constexpr unsigned int kThreads = 70;  // two full warps, and a part
constexpr std::size_t kMostAccesses = 1024;
using Known = std::bitset<kMostAccesses>;

/// Two blocks of a grid that run at the same time, and the same two blocks in the model.
class Grid {
 public:
    /// @param[in] seed Chooses what the threads do.
    explicit Grid(unsigned int seed) : random_(seed) { begin_blocks(5, 0x1fffff); }

    /// Begins other blocks of the same grid, on the same workers.
    void begin_blocks(std::uint32_t first, std::uint32_t second) {
        blocks_[0].number = first, blocks_[1].number = second;
        for (Block& block : blocks_) {
            block.clocks.begin_block(block.number, kThreads);
            block.threads.assign(kThreads, {});
        }
    }

    unsigned int below(unsigned int n) { return static_cast<unsigned int>(random_() % n); }
    /// One of the few threads that the checks watch: with so few, they often interact.
    unsigned int any_thread() {
        constexpr std::array<unsigned int, 7> kSome{0, 1, 2, 31, 32, 33, 69};
        return kSome[below(kSome.size())];
    }

    /// An event of any kind that orders threads.
    void synchronize() {
        Block& block = blocks_[below(2)];
        const unsigned int thread = any_thread(), action = below(16);
        if (action == 0) return barrier(block);
        if (action < 4) return warp_meets(block, thread / 32, random_() | 1u);
        if (action < 9) return fence(block, thread, action < 6);
        atomic(block, thread, below(logs_.size()), below(4) != 0);
    }

    /// An access by a thread. @return Its number in the model.
    std::size_t access(unsigned int block, unsigned int thread, std::uint32_t site = 1, bool atomic = false) {
        blocks_[block].threads[thread].known.set(accesses_.size());
        accesses_.push_back(blocks_[block].clocks.now(thread, site, atomic));
        return accesses_.size() - 1;
    }
    bool is_full() const { return accesses_.size() + 1 >= kMostAccesses; }

    bool model_knows(unsigned int block, unsigned int thread, std::size_t access) const {
        return blocks_[block].threads[thread].known[access];
    }
    bool lens_knows(unsigned int block, unsigned int thread, std::size_t access) const {
        return blocks_[block].clocks.happened_before(accesses_[access], thread);
    }
    const lens::Clocks& clocks(unsigned int block) const { return blocks_[block].clocks; }
    lens::Epoch epoch(std::size_t access) const { return accesses_[access]; }
    std::size_t accesses() const { return accesses_.size(); }

 private:
    struct Told {
        bool anything = false;
        Known known{};
        void join(const Told& other) { anything |= other.anything, known |= other.known; }
    };
    struct Thread {
        Known known{};
        std::array<Told, 2> told{};  // what the last fence made visible: to all, and to the block
        std::map<std::size_t, std::size_t> unfenced{};
    };
    struct Message {
        Known known;
        std::uint32_t block;
        bool of_block;
    };
    struct Block {
        std::uint32_t number = 0;
        lens::Clocks clocks{};
        std::vector<Thread> threads{};
    };
    /// Each of the threads learns all that any of them knows.
    static void meet(std::vector<Thread*> threads) {
        Thread all;
        for (const Thread* const thread : threads) {
            all.known |= thread->known;
            for (const std::size_t of_block : {0u, 1u}) all.told[of_block].join(thread->told[of_block]);
            for (const auto& [log, count] : thread->unfenced)
                all.unfenced[log] = std::max(all.unfenced[log], count);
        }
        for (Thread* const thread : threads) *thread = all;
    }
    static void barrier(Block& block) {
        block.clocks.barrier();
        std::vector<Thread*> threads;
        for (Thread& thread : block.threads) threads.push_back(&thread);
        meet(threads);
    }
    static void warp_meets(Block& block, unsigned int warp, std::uint32_t lanes) {
        std::vector<Thread*> threads;
        for (unsigned int lane = 0; lane < 32; ++lane) {
            if (warp * 32 + lane >= kThreads) lanes &= ~(1u << lane);
            if ((lanes >> lane & 1) != 0) threads.push_back(&block.threads[warp * 32 + lane]);
        }
        block.clocks.warp_meets(warp * 32, lanes);
        meet(threads);
    }
    void fence(Block& block, unsigned int number, bool of_block) {
        block.clocks.fence(number, of_block);
        Thread& thread = block.threads[number];
        for (const auto& [log, count] : thread.unfenced)
            for (std::size_t i = 0; i < count; ++i)
                if (const Message& sent = messages_[log][i];
                    sent.block == block.number || (!sent.of_block && !of_block))
                    thread.known |= sent.known;
        if (!of_block) thread.unfenced.clear(), thread.told[1] = {};
        thread.told[of_block ? 1 : 0] = {true, thread.known};
    }
    void atomic(Block& block, unsigned int number, std::size_t log, bool stores) {
        {
            const std::lock_guard guard(logs_[log].lock);
            block.clocks.atomic(number, logs_[log], stores);
        }
        Thread& thread = block.threads[number];
        if (!messages_[log].empty()) thread.unfenced[log] = messages_[log].size();
        if (!stores) return;
        for (const bool of_block : {false, true})
            if (const Told& told = thread.told[of_block ? 1 : 0]; told.anything)
                messages_[log].push_back({told.known, block.number, of_block});
    }

    std::mt19937 random_;
    std::array<Block, 2> blocks_{};
    std::array<lens::Messages::Log, 3> logs_{};
    std::array<std::vector<Message>, 3> messages_{};
    std::vector<lens::Epoch> accesses_;
};

TEST_CASE("accesses are ordered if barriers, warp functions, fences and atomics lead from one to the other") {
    for (unsigned int seed = 0; seed < 20; ++seed) {
        Grid grid(seed);
        std::size_t known_of_others = 0;
        for (int i = 0; i < 800 && !grid.is_full(); ++i) {
            if (i == 300) grid.begin_blocks(6, 7);
            if (i == 600) grid.begin_blocks(8, 9);
            const unsigned int block = grid.below(2), thread = grid.any_thread();
            if (grid.below(3) == 0)
                grid.access(block, thread);
            else
                grid.synchronize();
            for (int look = 0; look < 20 && grid.accesses() != 0; ++look) {
                const unsigned int in = grid.below(2), by = grid.any_thread();
                const std::size_t access = grid.below(static_cast<unsigned int>(grid.accesses()));
                if (grid.lens_knows(in, by, access) != grid.model_knows(in, by, access))
                    FAIL("seed " << seed << ", step " << i << ": thread " << by << " of block " << in
                                 << " and access " << access);
                known_of_others += grid.model_knows(in, by, access) ? 1 : 0;
            }
        }
        CHECK(known_of_others > 100);
    }
}

TEST_CASE("a block's clock stops when no access can be stamped with its time any more") {
    lens::Clocks clocks;
    clocks.begin_block(0, 32);
    std::uint32_t barriers = 0;
    for (; !clocks.is_full(); ++barriers) clocks.barrier();
    CHECK(barriers == 524'287);
    clocks.barrier();
    clocks.warp_meets(0, 3);
    clocks.fence(0, false);
    CHECK(clocks.now(0, 1, false).clock == barriers);
    const lens::Epoch last = clocks.now(1023, 1u << 31, true);
    CHECK(last.thread == 1023);
    CHECK(last.site == lens::kMostSite);
    CHECK(last.atomic == 1);
}

/// Compares which of the threads' accesses to an array is the first to race in the lens and in the model.
/// @param[in] atomics Whether the accesses are atomic operations and loads, or plain accesses only.
void compare_first_race(unsigned int seed, bool atomics) {
    static const std::uint32_t plain =
        lens::number_of({1, 0, lens::Space::global, lens::Kind::load, 4, false});
    static const std::array<std::uint32_t, 3> atomic_sites{
        lens::number_of({2, 0, lens::Space::global, lens::Kind::atomic, 4, false}),
        lens::number_of({3, 0, lens::Space::global, lens::Kind::atomic, 8, false}),
        lens::number_of({4, 0, lens::Space::global, lens::Kind::atomic, 4, true})};
    struct Access {
        std::size_t number, offset, bytes;
        unsigned int block, thread, atomic;  // `atomic` 3: not atomic
        lens::Kind kind;
    };
    Grid grid(seed);
    constexpr std::size_t kBytes = 600;
    std::vector<char> memory(kBytes);
    lens::Array array(memory.data(), memory.size(), "", true);
    const std::array<std::pair<unsigned int, unsigned int>, 2> threads{
        {{grid.below(2), grid.any_thread()}, {grid.below(2), grid.any_thread()}}};
    const auto base = static_cast<std::size_t>(grid.below(3)) * 250;
    const std::array<unsigned int, 2> atomic_kinds{grid.below(3), grid.below(3)};
    std::vector<Access> before;
    std::uint32_t launch = 1;
    for (int i = 0; i < 400 && !grid.is_full(); ++i) {
        if (grid.below(2) == 0) {
            grid.synchronize();
            continue;
        }
        if (grid.below(100) == 0) ++launch, before.clear();
        Access now{};
        const unsigned int who = grid.below(2);
        std::tie(now.block, now.thread) = threads[who];
        now.bytes = std::size_t{1} << grid.below(5);
        now.offset = base + grid.below(48) / now.bytes * now.bytes;
        now.kind = grid.below(2) == 0 ? lens::Kind::load : atomics ? lens::Kind::atomic : lens::Kind::store;
        now.atomic = now.kind == lens::Kind::atomic ? atomic_kinds[who] : 3;
        now.number = grid.access(now.block, now.thread, now.atomic == 3 ? plain : atomic_sites[now.atomic],
                                 now.atomic != 3);
        const auto races = [&](const Access& other) {
            if (other.offset >= now.offset + now.bytes || now.offset >= other.offset + other.bytes)
                return false;
            if (other.kind == lens::Kind::load && now.kind == lens::Kind::load) return false;
            if (grid.model_knows(now.block, now.thread, other.number)) return false;
            if (other.atomic == 3 || now.atomic == 3) return true;
            const bool one_width = (other.atomic == 1) == (now.atomic == 1);
            return !one_width || (other.block != now.block && (other.atomic == 2 || now.atomic == 2));
        };
        const bool expected = std::any_of(before.begin(), before.end(), races);
        bool found = false;
        array.visit(now.offset, now.bytes, launch, [&](lens::Cell& cell) {
            const auto other =
                cell.access(now.kind, grid.epoch(now.number), now.thread, grid.clocks(now.block));
            found = found || other.has_value();
        });
        if (found != expected) FAIL("seed " << seed << ", step " << i);
        if (found) return;
        before.push_back(now);
    }
}

TEST_CASE("of two threads, the first access that races is found, whatever its bytes") {
    for (unsigned int seed = 0; seed < 250; ++seed) {
        compare_first_race(seed, false);
        compare_first_race(seed, true);
    }
}

struct Reader {
    unsigned int block, thread;
};
/// Lets each of `readers` load the same number, unsynchronized, and then lets the first one store to it.
/// @param[in] ordered The readers whose loads are ordered before the store.
/// @return The load that is found to race with the store, if there is one.
std::optional<lens::Epoch> finds_after(const std::vector<Reader>& readers,
                                       const std::vector<std::size_t>& ordered) {
    std::array<lens::Clocks, 2> clocks;
    for (std::uint32_t block : {0u, 1u}) clocks[block].begin_block(block, 128);
    lens::Cell cell;
    for (const Reader& reader : readers)
        cell.access(lens::Kind::load, clocks[reader.block].now(reader.thread, 1, false), reader.thread,
                    clocks[reader.block]);
    // The lanes of the first reader's warp that are in `ordered` meet: the first reader's store comes after
    // their loads, but not after those of any other thread.
    const Reader& writer = readers.front();
    std::uint32_t lanes = 0;
    for (const std::size_t i : ordered) lanes |= 1u << readers[i].thread % 32;
    clocks[writer.block].warp_meets(writer.thread / 32 * 32, lanes);
    return cell.access(lens::Kind::store, clocks[writer.block].now(writer.thread, 1, false), writer.thread,
                       clocks[writer.block]);
}

TEST_CASE("of many unordered loads, those by threads far apart are kept") {
    CHECK(!finds_after({{0, 0}, {0, 1}, {0, 2}}, {0, 1, 2}));
    CHECK(finds_after({{0, 0}, {0, 1}, {0, 32}}, {0, 1}));  // another warp
    CHECK(finds_after({{0, 0}, {0, 1}, {1, 0}}, {0, 1}));   // another block
    CHECK(finds_after({{0, 0}, {0, 1}, {1, 0}, {0, 2}}, {0, 1, 2}));
    CHECK(finds_after({{0, 0}, {0, 1}, {0, 32}, {0, 2}}, {0, 1, 2}));
    CHECK(finds_after({{0, 33}, {0, 34}, {0, 31}}, {0, 1}));
    CHECK(finds_after({{0, 0}, {0, 1}, {0, 64}, {0, 2}, {0, 3}}, {0, 1, 2, 3, 4}));
    // A third load by the same warp does not replace the second one.
    CHECK(finds_after({{0, 33}, {0, 34}, {0, 35}}, {0, 2}).value().thread == 34);
    for (const auto& [first, second, other] :
         {std::array{30u, 31u, 32u}, {31u, 30u, 32u}, {32u, 33u, 0u}, {33u, 32u, 0u}})
        CHECK(finds_after({{0, first}, {0, second}, {0, other}}, {0, 1}));
    // A load by another warp does not replace one by another block.
    for (const Reader& last : {Reader{0, 32}, Reader{0, 1}})
        CHECK(finds_after({{0, 0}, {1, 0}, last}, {0})->block == 1);
    CHECK(finds_after({{0, 0}, {0, 32}, {0, 64}}, {0})->thread == 32);
}

/// Lets threads add to the same number, unsynchronized, and then, after some threads of the first block have
/// met, lets thread `loads` load it.
/// @return The addition that is found to race with the load, if there is one.
std::optional<lens::Epoch> finds_atomic(const std::vector<Reader>& threads, std::uint32_t meet,
                                        unsigned int loads) {
    static const std::uint32_t atomic =
        lens::number_of({2, 0, lens::Space::global, lens::Kind::atomic, 4, false});
    std::array<lens::Clocks, 2> clocks;
    for (std::uint32_t block : {0u, 1u}) clocks[block].begin_block(block, 128);
    lens::Cell cell;
    for (const auto& [block, thread] : threads)
        cell.access(lens::Kind::atomic, clocks[block].now(thread, atomic, true), thread, clocks[block]);
    clocks[0].warp_meets(0, meet);
    return cell.access(lens::Kind::load, clocks[0].now(loads, 1, false), loads, clocks[0]);
}

TEST_CASE("of many atomic operations, the last is kept, and an unordered one, if possible of another block") {
    const std::vector<Reader> three{{0, 1}, {0, 2}, {0, 3}};
    CHECK(!finds_atomic(three, 0b1110, 1));
    CHECK(finds_atomic(three, 0b0110, 1).value().thread == 3);  // the last
    CHECK(finds_atomic(three, 0b1100, 2).value().thread == 1);  // the first
    CHECK(finds_atomic({{0, 1}, {0, 2}, {1, 5}, {0, 3}}, 0b1110, 1).value().block == 1);
    CHECK(finds_atomic({{1, 5}, {0, 1}, {0, 2}, {0, 3}}, 0b1110, 1).value().block == 1);
}

TEST_CASE("an array knows which of its bytes were written, and which sectors a grid has used") {
    std::vector<char> memory(1000);
    lens::Array array(memory.data(), memory.size(), "", true);
    CHECK(array.has(memory.data()));
    CHECK(array.has(memory.data() + 999));
    CHECK(!array.has(memory.data() + 1000));
    array.set_written(100, 3);
    CHECK(array.is_written(100, 3));
    CHECK(!array.is_written(99, 2));
    CHECK(!array.is_written(102, 2));
    const auto touched = [&](std::size_t offset, std::size_t bytes) {
        array.touch(offset, bytes);
        return array.take_touched();
    };
    CHECK(touched(0, 32) == 1);
    CHECK(touched(31, 1) == 1);
    CHECK(touched(31, 2) == 2);
    CHECK(touched(64, 32) == 1);
    CHECK(touched(0, 1000) == 32);
    CHECK(touched(992, 8) == 1);
    array.touch(0, 4);
    array.touch(960, 33);
    array.touch(8, 4);
    CHECK(array.take_touched() == 3);
    CHECK(array.take_touched() == 0);
}

TEST_CASE("a shared array knows the first warp to update each word of the block's, however small it is") {
    unsigned short memory[3];
    lens::Array array(reinterpret_cast<const char*>(memory), sizeof(memory), "", false);
    for (const unsigned int first : {31u, 0u}) {
        for (const std::size_t offset : {std::size_t{0}, std::size_t{4}}) {
            CHECK(!array.is_of_another_warp(offset, first));
            CHECK(array.is_of_another_warp(offset, 7));
            CHECK(!array.is_of_another_warp(offset, first));
        }
        array.forget();
    }
}

}  // namespace order_checks
