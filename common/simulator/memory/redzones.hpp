/// @file
/// @brief Memory of any size whose ends are guarded: for device memory and for shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "../platform/platform.hpp"
#include "../platform/sanitizer.hpp"
#include "../platform/sizes.hpp"

namespace sim {

/// *Poison*: the byte with which uninitialized device and shared memory is filled. Few programs expect it.
constexpr int kPoison = 0xA5;
/// What messages say about a number that consists of poison.
constexpr const char* kPoisonSource =
    "comes from memory that was never written, or from a lane that takes no part in a shuffle";

/// Makes whole pages accessible or inaccessible. @throws std::bad_alloc.
inline void set_accessible(char* pages, std::size_t bytes, bool accessible) {
    if (!platform::protect(pages, bytes, accessible ? platform::Access::all : platform::Access::none))
        throw std::bad_alloc();
}

inline char* page_of(const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return reinterpret_cast<char*>(at / platform::page_bytes() * platform::page_bytes());
}

inline std::size_t round_up(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// The element of an array that contains an address, as in `bins[96]`.
inline std::string element(const std::string& array, const void* begin, std::size_t element_bytes,
                           const void* address) {
    const auto size = static_cast<std::ptrdiff_t>(element_bytes);
    const std::ptrdiff_t offset = static_cast<const char*>(address) - static_cast<const char*>(begin);
    return array + "[" + std::to_string((offset - (offset < 0 ? size - 1 : 0)) / size) + "]";
}

/// @brief `[guard][redzone][the bytes][redzone][guard]`
///
/// The guards are never accessible. The bytes begin at a multiple of their alignment, and end as close to the
/// end of a page as this allows: the redzone after them is shorter than the alignment. Redzones are
/// accessible whenever the bytes are, and are filled with poison, so that a write to them is found
/// afterwards. Without guards, redzones have at least 256 bytes, and the memory needs no mapping of its own.
class Redzoned {
 public:
    Redzoned(std::size_t bytes, std::size_t alignment, std::size_t guard_bytes)
        : bytes_(bytes),
          rounded_(round_up(bytes, alignment) + (guard_bytes == 0 ? 256 : 0)),
          inner_(round_up(rounded_ + (guard_bytes == 0 ? 256 : 0), platform::page_bytes())),
          guard_(guard_bytes),
          pages_(guard_ + inner_ + guard_) {
        sim::set_accessible(inside(), inner_, true);
        std::memset(inside(), kPoison, inner_);
        __asan_poison_memory_region(inside(), inner_);
        __asan_unpoison_memory_region(begin(), bytes_);
    }
    ~Redzoned() { __asan_unpoison_memory_region(inside(), inner_); }
    Redzoned(const Redzoned&) = delete;
    Redzoned& operator=(const Redzoned&) = delete;

    /// The pages between the guards.
    platform::Range pages() const { return {inside(), inside() + inner_}; }

    char* begin() const { return inside() + inner_ - rounded_; }
    std::size_t bytes() const { return bytes_; }

    void set_accessible(bool accessible) const { sim::set_accessible(inside(), inner_, accessible); }

    /// Returns the memory to the system but keeps its addresses, which become inaccessible.
    void free() {
        __asan_unpoison_memory_region(inside(), inner_);
        set_accessible(false);
        platform::discard(inside(), inner_);
    }

    bool has(const void* at) const {
        return static_cast<std::size_t>(static_cast<const char*>(at) - begin()) < bytes_;
    }
    bool has_around(const void* at) const {  // also in the redzones and guards
        return static_cast<std::size_t>(static_cast<const char*>(at) - pages_.data()) <
               guard_ + inner_ + guard_;
    }

    /// @return The first byte of the redzones that is no longer poison, or null.
    const char* damage() const {
        if (kAddressSanitizer) return nullptr;  // AddressSanitizer would have stopped the thread at once
        for (const auto& [first, last] :
             {std::pair(inside(), begin()), std::pair(begin() + bytes_, begin() + rounded_)})
            if (first != last &&
                (*first != static_cast<char>(kPoison) ||
                 std::memcmp(first, first + 1, static_cast<std::size_t>(last - first) - 1) != 0))
                for (const char* at = first; at < last; ++at)
                    if (*at != static_cast<char>(kPoison)) return at;
        return nullptr;
    }

    /// Fills the redzones with poison again.
    void mend() const {
        if (kAddressSanitizer) return;
        std::memset(inside(), kPoison, static_cast<std::size_t>(begin() - inside()));
        std::memset(begin() + bytes_, kPoison, rounded_ - bytes_);
    }

    static std::string bytes_text(std::size_t bytes) {
        return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    }

    /// A description of where an address is, which the caller continues, as with "a buffer of …".
    std::string text(const void* address) const {
        const std::ptrdiff_t offset = static_cast<const char*>(address) - begin();
        const auto size = static_cast<std::ptrdiff_t>(bytes_);
        if (offset < 0)
            return "the address " + bytes_text(static_cast<std::size_t>(-offset)) +
                   " before the beginning of ";
        if (offset == size) return "the byte right past the end of ";
        if (offset > size)
            return "the address " + bytes_text(static_cast<std::size_t>(offset - size)) + " past the end of ";
        return "byte " + std::to_string(offset) + " of ";
    }

 private:
    char* inside() const { return pages_.data() + guard_; }

    const std::size_t bytes_, rounded_, inner_, guard_;
    platform::Pages pages_;
};

}  // namespace sim
