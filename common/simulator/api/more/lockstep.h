/// @file
/// @brief Pointers through which the lanes of a warp store in lockstep, for programs that rely on how GPUs
/// before Volta ran all code.
#pragma once

#include <cstddef>
#include <type_traits>

#include "warps.h"

/// The operators that have a compound assignment.
#define SIM_EACH_OPERATOR(X) X(+) X(-) X(*) X(/) X(%) X(&) X(|) X(^) X(<<) X(>>)

namespace sim {

/// A reference through which the converged lanes of a warp store in lockstep: all of them have read before
/// any of them stores, and all have stored before any of them continues.
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
    SIM_EACH_OPERATOR(SIM_ASSIGN)
#undef SIM_ASSIGN
    T operator++() const { return *this += 1; }
    T operator++(int) const { return static_cast<T>((*this += 1) - 1); }
    volatile T* operator&() const { return address_; }

 private:
    volatile T* address_;
};

/// An element of a `volatile` shared array in a program from elsewhere, that is, one that is not the
/// course's.
template <typename T>
class LockstepElement {
 public:
    operator T() const { return value_; }
    T operator=(T value) { return reference() = value; }
    T operator=(const LockstepElement& other) { return reference() = static_cast<T>(other); }
    LockstepElement() = default;
    LockstepElement(const LockstepElement&) = default;
#define SIM_ASSIGN(op) \
    T operator op##=(T value) { return reference() op## = value; }
    SIM_EACH_OPERATOR(SIM_ASSIGN)
#undef SIM_ASSIGN
#undef SIM_EACH_OPERATOR
    T operator++() { return ++reference(); }
    T operator++(int) { return reference()++; }
    T operator--() { return reference() -= 1; }
    T operator--(int) { return static_cast<T>((reference() -= 1) + 1); }
    volatile T* operator&() { return &value_; }

 private:
    LockstepReference<T> reference() { return LockstepReference<T>(&value_); }
    volatile T value_;
};
/// A `LockstepElement` for numbers; an ordinary `volatile T` for structs.
template <typename T>
using AnyLockstepElement = std::conditional_t<std::is_arithmetic_v<T>, LockstepElement<T>, volatile T>;

/// What a `volatile T*` in a program from elsewhere is translated to.
template <typename T>
class LockstepPointer {
 public:
    LockstepPointer() = default;
    LockstepPointer(volatile T* address) : address_(address) {}
    LockstepPointer(LockstepElement<T>* array) : address_(&*array) {}
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

/// A `LockstepPointer` for numbers; an ordinary `volatile T*` for structs, whose members are not kept in
/// lockstep.
template <typename T>
using AnyLockstepPointer = std::conditional_t<std::is_arithmetic_v<T>, LockstepPointer<T>, volatile T*>;

template <typename T>
inline constexpr bool kIsLockstep = false;
template <typename T>
inline constexpr bool kIsLockstep<LockstepReference<T>> = true;
template <typename T>
inline constexpr bool kIsLockstep<LockstepElement<T>> = true;
template <typename T>
T value_of(const LockstepReference<T>& element, int) {
    return element;
}
template <typename T>
T value_of(const LockstepElement<T>& element, int) {
    return element;
}
template <typename T>
const T& value_of(const T& value, ...) {
    return value;
}

}  // namespace sim

/// @name Functions that accept any type, and would therefore not convert a lockstep element to its value
/// @{
template <typename... Values, typename = std::enable_if_t<(sim::kIsLockstep<Values> || ...)>>
int printf(const char* format, const Values&... values) {
    return printf(format, sim::value_of(values, 0)...);
}
#define SIM_SHUFFLE(name, Place)                                                                       \
    template <typename T>                                                                              \
    T name(unsigned int mask, const sim::LockstepElement<T>& value, Place place, int width = warpSize, \
           const char* file = __builtin_FILE(), int line = __builtin_LINE()) {                         \
        return name(mask, static_cast<T>(value), place, width, file, line);                            \
    }
SIM_SHUFFLE(__shfl_sync, int)
SIM_SHUFFLE(__shfl_up_sync, unsigned int)
SIM_SHUFFLE(__shfl_down_sync, unsigned int)
SIM_SHUFFLE(__shfl_xor_sync, int)
#undef SIM_SHUFFLE
/// @}
