/// @file
/// @brief Pointers through which the lanes of a warp store in lockstep, as GPUs before Volta ran all code.
#pragma once

#include <cstddef>
#include <type_traits>

#include "warps.h"

namespace sim {

/// All lanes that store together have read before one of them stores, and all have stored before one reads
/// again.
template <typename T>
class LockstepReference {
 public:
    explicit LockstepReference(volatile T* address) : address_(address) {}
    operator T() const { return *address_; }
    T operator=(T value) const {
        const Site site{"a volatile variable", 0};
        converged_lanes(site);
        *address_ = value;
        converged_lanes(site);
        return value;
    }
    T operator=(const LockstepReference& other) const { return *this = static_cast<T>(other); }
    LockstepReference(const LockstepReference&) = default;
#define SIM_ASSIGN(op) \
    T operator op##=(T value) const { return *this = static_cast<T>(*address_ op value); }
    SIM_ASSIGN(+)
    SIM_ASSIGN(-)
    SIM_ASSIGN(*)
    SIM_ASSIGN(/)
    SIM_ASSIGN(&)
    SIM_ASSIGN(|)
    SIM_ASSIGN(^)
#undef SIM_ASSIGN
    T operator++() const { return *this += 1; }
    T operator++(int) const { return static_cast<T>((*this += 1) - 1); }
    volatile T* operator&() const { return address_; }

 private:
    volatile T* address_;
};

/// What a `volatile T*` of a program from elsewhere is.
template <typename T>
class LockstepPointer {
 public:
    LockstepPointer() = default;
    LockstepPointer(volatile T* address) : address_(address) {}
    operator volatile T*() const { return address_; }
    template <typename U>
    explicit operator U*() const {
        return reinterpret_cast<U*>(const_cast<T*>(address_));
    }
    LockstepReference<T> operator*() const { return LockstepReference<T>(address_); }
    template <typename Index>
    LockstepReference<T> operator[](Index i) const {
        return LockstepReference<T>(address_ + i);
    }
    LockstepPointer& operator+=(std::ptrdiff_t n) { return address_ += n, *this; }
    LockstepPointer& operator++() { return ++address_, *this; }

 private:
    volatile T* address_;
};

/// The same for a type that may be a struct's, whose members are used in no order.
template <typename T>
using AnyLockstepPointer = std::conditional_t<std::is_arithmetic_v<T>, LockstepPointer<T>, volatile T*>;

}  // namespace sim
