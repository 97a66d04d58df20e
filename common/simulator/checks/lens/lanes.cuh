/// @file
/// @brief Checks of how lanes are combined into warps, against a model of a warp that diverges and
/// reconverges.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "../../../checks/catch.hpp"
#include "../../lens/lanes.hpp"
#include "../../lens/site.hpp"

namespace lane_checks {

using lens::kLanes;

/// A statement of a small program: an access, a branch or a loop.
struct Statement {
    enum Kind { access, branch, loop } kind = access;
    std::uint32_t site = 0, bytes = 0;
    std::vector<Statement> body{}, otherwise{};
    unsigned int salt = 0;  ///< chooses which lanes take the branch, and how often each lane repeats the loop
};

class Program {
 public:
    explicit Program(unsigned int seed) : random_(seed), statements_(block(3)) {}

    /// The site and the lanes of each request, if the warp's lanes execute each statement together.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> requests() {
        requests_.clear();
        execute(statements_, ~0u, 0);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
        for (const auto& [statement, mask] : requests_)
            if (statement->bytes != 0) result.emplace_back(statement->site, mask);
        return result;
    }
    /// The accesses of each lane, one after another.
    std::array<std::vector<lens::Access>, kLanes> lanes() {
        std::array<std::vector<lens::Access>, kLanes> result;
        for (unsigned int lane = 0; lane < kLanes; ++lane) {
            requests_.clear();
            execute(statements_, 1u << lane, 0);
            for (const auto& [statement, mask] : requests_) {
                if (statement->bytes == 0 && !result[lane].empty() &&
                    result[lane].back().site == statement->site)
                    ++result[lane].back().address;
                else
                    result[lane].push_back({1, statement->site, statement->bytes});
            }
        }
        return result;
    }

 private:
    std::vector<Statement> block(unsigned int depth) {
        std::vector<Statement> result;
        for (auto count = 1 + random_() % 3; count > 0; --count) {
            Statement next;
            const auto kind = depth == 0 ? 0 : random_() % 4;
            next.salt = static_cast<unsigned int>(random_());
            if (kind == 2) {
                next.kind = Statement::branch;
                next.body = block(depth - 1);
                if (random_() % 2 == 0) next.otherwise = block(depth - 1);
            } else if (kind == 3) {
                next.kind = Statement::loop;
                next.body = block(depth - 1);
                if (next.body.back().kind != Statement::access) next.body.push_back(new_site(0));
            } else {
                next = new_site(4);
            }
            result.push_back(std::move(next));
        }
        return result;
    }
    /// An access or, with 0 bytes, the end of a loop, which is no request.
    Statement new_site(std::uint8_t bytes) {
        address_ += 4;
        const lens::Site site{address_, 0, lens::Space::global, lens::Kind::load, bytes, false};
        return {Statement::access, lens::number_of(site), bytes};
    }
    static unsigned int chance(unsigned int salt, unsigned int lane, unsigned int iteration) {
        std::minstd_rand random(salt ^ lane * 7919 ^ iteration * 104729);
        random.discard(2);
        return static_cast<unsigned int>(random()) >> 8;
    }
    /// Whether a lane takes a branch: one lane does, all but one, every second one, or random ones.
    static bool takes(const Statement& branch, unsigned int lane, unsigned int iteration) {
        const unsigned int one = branch.salt / 8 % kLanes;
        switch (branch.salt % 8) {
            case 0: return lane == one;
            case 1: return lane != one;
            case 2: return lane % 2 == one % 2;
            default: return chance(branch.salt, lane, iteration) % 2 == 0;
        }
    }
    void execute(const std::vector<Statement>& statements, std::uint32_t lanes, unsigned int iteration) {
        if (lanes == 0) return;
        const auto chosen = [&](const auto& condition) {
            std::uint32_t result = 0;
            for (unsigned int lane = 0; lane < kLanes; ++lane)
                if ((lanes >> lane & 1) != 0 && condition(lane)) result |= 1u << lane;
            return result;
        };
        for (const Statement& statement : statements) {
            if (statement.kind == Statement::access) {
                requests_.emplace_back(&statement, lanes);
            } else if (statement.kind == Statement::branch) {
                const std::uint32_t taken =
                    chosen([&](auto lane) { return takes(statement, lane, iteration); });
                execute(statement.body, taken, iteration);
                execute(statement.otherwise, lanes & ~taken, iteration);
            } else {
                for (unsigned int i = 0;; ++i) {
                    const std::uint32_t repeating =
                        chosen([&](auto lane) { return i < chance(statement.salt, lane, iteration) % 4; });
                    if (repeating == 0) break;
                    execute(statement.body, repeating, iteration * 4 + i + 1);
                }
            }
        }
    }

    std::mt19937 random_;
    std::uintptr_t address_ = 4096;
    std::vector<Statement> statements_;
    std::vector<std::pair<const Statement*, std::uint32_t>> requests_{};
};

TEST_CASE("lanes that diverge meet again after branches and loops, as in a warp") {
    for (unsigned int seed = 0; seed < 2000; ++seed) {
        Program program(seed);
        lens::Order order;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> requests;
        lens::execute_together(program.lanes(), order, [&](std::uint32_t site, const lens::Request& request) {
            requests.emplace_back(site, request.lanes);
        });
        if (requests != program.requests()) FAIL("program " << seed);
    }
}

/// A load at this address.
std::uint32_t number(std::uintptr_t at) {
    return lens::number_of({at, 0, lens::Space::global, lens::Kind::load, 4, false});
}

TEST_CASE("a lane that goes back to an access waits for one that comes to it from before") {
    const std::uint32_t before = number(1), access = number(2);
    const auto next = [=](unsigned int lane) { return lane < 2 ? access : 0; };
    lens::Order order;
    for (const bool first_goes_back : {false, true}) {
        std::array<std::uint32_t, kLanes> last{first_goes_back ? access : before,
                                               first_goes_back ? before : access};
        CHECK(lens::next_lanes(next, last, order) == (first_goes_back ? 2 : 1));
    }
}

TEST_CASE("if one of two lanes goes back from the end of a loop, so does the other, wherever it continues") {
    const std::uint32_t first = number(1), second = number(2), end = number(3);
    const auto next = [=](unsigned int lane) { return lane == 0 ? second : lane == 1 ? first : 0; };
    std::array<std::uint32_t, kLanes> last{end, end};
    lens::Order order;
    CHECK(lens::next_lanes(next, last, order) == 2);
    CHECK(last[0] == 0);
}

}  // namespace lane_checks
