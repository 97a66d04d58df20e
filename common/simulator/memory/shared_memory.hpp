/// @file
/// @brief A worker's shared memory: each variable of a kernel has its own guards.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda_runtime.h"
#include "redzones.hpp"

namespace sim {

/// @brief The shared memory of the blocks that one worker runs, one block at a time.
///
/// Each variable has the same address in all blocks, and inaccessible pages before and after it.
class SharedMemory {
 public:
    /// Prepares the memory for the blocks of a launch. @return Its dynamic shared memory.
    char* begin_grid(std::size_t dynamic_bytes);
    void begin_block();

    /// Called when a block first reaches a declaration. @return The variable's memory, filled with poison.
    void* begin(const void* declaration, const SharedVariable& variable);

    /// How many bytes of static variables the block has used so far.
    std::size_t static_bytes() const { return static_bytes_; }

    /// @return A description of a byte just outside of a variable to which the block has written; empty if
    /// there is none. Repairs the variable's redzones.
    std::string damage() const;
    /// Whether an address is in one of the block's variables.
    bool has(const void* address) const;
    /// Whether an address is near one of the block's variables but not in it.
    bool is_in_redzone(const void* address) const;
    /// @return A description of an address near a variable; empty for any other address.
    std::string text(const void* address) const;
    /// @return The element at an address, as in `bins[96]`, or the byte of dynamic shared memory.
    std::string element_text(const void* address) const;

 private:
    struct Array {
        explicit Array(const SharedVariable& declared)
            : variable(declared), memory(declared.bytes, declared.alignment, kGuardBytes) {}
        const SharedVariable variable;
        const Redzoned memory;
        std::string text(const void* address) const;
        std::string element_text(const void* address) const;
    };
    std::unordered_map<const void*, std::unique_ptr<Array>> arrays_;  ///< by declaration
    std::vector<const Array*> used_;                                  ///< the arrays that the block uses
    std::unique_ptr<Array> dynamic_;  ///< dynamic shared memory, whose variable has no name
    std::size_t static_bytes_ = 0;
};

}  // namespace sim
