/// @file
/// @brief How barriers, warp functions, fences and atomics order threads.
#include "clocks.hpp"

#include <algorithm>

namespace lens {

void Known::join(const Known& other) {
    fence = {};
    for (const auto& [number, theirs] : other.blocks) {
        std::shared_ptr<Block>& block = blocks[number];
        if (block == nullptr) block = theirs;
        if (block == theirs) continue;
        if (block.use_count() > 1) block = std::make_shared<Block>(*block);
        block->below = std::max(block->below, theirs->below);
        for (const auto& [thread, clock] : theirs->threads) {
            std::uint32_t& known = block->threads[thread];
            known = std::max(known, clock);
        }
    }
}

bool Known::has(Epoch epoch) const {
    const auto block = blocks.find(epoch.block);
    if (block == blocks.end()) return false;
    if (epoch.clock < block->second->below) return true;
    const auto thread = block->second->threads.find(epoch.thread);
    return thread != block->second->threads.end() && epoch.clock < thread->second;
}

/// Joins the knowledge of threads. Many threads have the same knowledge, which is joined only once.
KnownPtr Clocks::join(std::vector<KnownPtr> all, Joined& last) {
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.empty()) return nullptr;
    if (all.size() == 1) return all.front();
    if (last.of == all) return last.result;
    const auto result = std::make_shared<Known>(*all.front());
    for (const KnownPtr& other : all) result->join(*other);
    last = {std::move(all), result};
    return result;
}

void Clocks::begin_block(std::uint32_t block, unsigned int threads) {
    block_ = block & 0xfffff;
    count_ = threads;
    time_ = 0;
    std::fill_n(threads_.begin(), threads, Thread{});
    if (warps_have_met_) std::fill_n(mates_.begin(), threads, std::array<std::uint32_t, kWarp>{});
    warps_have_met_ = has_messages_ = false;
    heard_ = {};
    told_ = {};
    received_ = {};
}

/// Gives threads that have synchronized what any of them has learnt, made visible by fences, or seen in logs.
void Clocks::share(unsigned int first, unsigned int count, std::uint32_t lanes) {
    std::vector<KnownPtr> heard;
    std::array<std::vector<KnownPtr>, 2> told;
    std::map<Messages::Log*, std::size_t> unfenced;
    const auto takes_part = [&](unsigned int i) { return count > kWarp || (lanes >> i & 1) != 0; };
    const auto add = [](std::vector<KnownPtr>& all, const KnownPtr& known) {
        if (known != nullptr && (all.empty() || all.back() != known)) all.push_back(known);
    };
    for (unsigned int i = 0; i < count; ++i) {
        if (!takes_part(i)) continue;
        const Thread& thread = threads_[first + i];
        add(heard, thread.heard);
        for (const bool of_block : {false, true}) add(told[of_block], thread.told[of_block]);
        for (const auto& [log, count_seen] : thread.unfenced)
            unfenced[log] = std::max(unfenced[log], count_seen);
    }
    Thread all;
    all.heard = join(std::move(heard), heard_);
    for (const bool of_block : {false, true})
        all.told[of_block] = join(std::move(told[of_block]), told_[of_block]);
    for (unsigned int i = 0; i < count; ++i) {
        if (!takes_part(i)) continue;
        Thread& thread = threads_[first + i];
        thread.heard = all.heard;
        thread.told = all.told;
        thread.unfenced = unfenced;
    }
}

void Clocks::barrier() {
    if (is_full()) return;
    ++time_;
    for (unsigned int i = 0; i < count_; ++i) threads_[i].clock = threads_[i].below = time_;
    if (has_messages_) share(0, count_, ~0u);
}

void Clocks::warp_meets(unsigned int first, unsigned int lanes) {
    if (is_full()) return;
    ++time_;
    warps_have_met_ = true;
    std::array<std::uint32_t, kWarp> known{};
    const auto each = [&](auto&& use) {
        for (unsigned int i = 0; i < kWarp; ++i)
            if ((lanes >> i & 1) != 0) use(first + i);
    };
    each([&](unsigned int thread) {
        for (unsigned int i = 0; i < kWarp; ++i) known[i] = std::max(known[i], mates_[thread][i]);
        known[thread - first] = time_;
    });
    each([&](unsigned int thread) {
        threads_[thread].clock = time_;
        mates_[thread] = known;
    });
    if (has_messages_) share(first, kWarp, lanes);
}

void Clocks::fence(unsigned int number, bool of_block) {
    if (is_full()) return;
    has_messages_ = true;
    Thread& thread = threads_[number];
    if (!thread.unfenced.empty()) {
        if (received_.before != thread.heard || received_.of_block != of_block ||
            received_.unfenced != thread.unfenced) {
            auto all =
                thread.heard == nullptr ? std::make_shared<Known>() : std::make_shared<Known>(*thread.heard);
            for (const auto& [log, count] : thread.unfenced) {
                const std::lock_guard guard(log->sent_lock);
                // If the address is a lock's, the last message contains all earlier ones, which are skipped.
                for (std::size_t i = count; i-- > 0;)
                    if (const Messages::Message& sent = log->sent[i];
                        (sent.block == block_ || (!sent.of_block && !of_block)) &&
                        !(sent.known->fence.exists() && all->has(sent.known->fence)))
                        all->join(*sent.known);
            }
            received_ = {thread.heard, std::move(all), of_block, thread.unfenced};
        }
        thread.heard = received_.after;
        if (!of_block) thread.unfenced.clear();
    }
    // The fence makes everything that has happened before it, including the thread's own accesses, visible
    // before the thread's next access.
    thread.clock = ++time_;
    Known known;
    auto block = std::make_shared<Known::Block>();
    block->below = thread.below;
    block->threads[number] = thread.clock;
    if (warps_have_met_)
        for (unsigned int i = 0; i < kWarp; ++i) {
            std::uint32_t& known_of = block->threads[number / kWarp * kWarp + i];
            known_of = std::max(known_of, mates_[number][i]);
        }
    known.blocks[block_] = std::move(block);
    if (thread.heard != nullptr) known.join(*thread.heard);
    known.fence = {block_, number, thread.clock - 1, 1, false, false};
    thread.told[of_block] = std::make_shared<const Known>(std::move(known));
    if (!of_block) thread.told[true] = nullptr;
}

bool Clocks::lacks_fence(Epoch epoch, unsigned int thread) const {
    return std::ranges::any_of(threads_[thread].unfenced, [epoch](const auto& seen) {
        const auto& [log, count] = seen;
        const std::lock_guard guard(log->sent_lock);
        return std::any_of(log->sent.begin(), log->sent.begin() + static_cast<std::ptrdiff_t>(count),
                           [epoch](const auto& sent) { return !sent.of_block && sent.known->has(epoch); });
    });
}

void Clocks::atomic(unsigned int number, Messages::Log& log, bool stores) {
    const std::lock_guard guard(log.sent_lock);
    Thread& thread = threads_[number];
    if (!log.sent.empty()) {
        has_messages_ = true;
        thread.unfenced[&log] = log.sent.size();
    }
    if (!stores) return;
    for (const bool of_block : {false, true}) {
        const Messages::Message message{thread.told[of_block], block_, of_block};
        if (message.known != nullptr &&
            std::find(log.sent.rbegin(), log.sent.rend(), message) == log.sent.rend())
            log.sent.push_back(message);
    }
}

}  // namespace lens
