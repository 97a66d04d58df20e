/// @file
/// @brief Shared memory: where a block's variables are, and which one an address is near.
#include "shared_memory.hpp"

#include <algorithm>
#include <cstring>

namespace sim {

char* SharedMemory::begin_grid(std::size_t dynamic_bytes) {
    constexpr std::size_t kAlignment = 16;
    if (dynamic_ == nullptr || dynamic_->memory.bytes() != dynamic_bytes)
        dynamic_ = std::make_unique<Array>(SharedVariable{"", dynamic_bytes, kAlignment, 1, {}});
    return dynamic_->memory.begin();
}

void SharedMemory::begin_block() {
    static_bytes_ = 0;
    used_.clear();
    const Redzoned& memory = dynamic_->memory;
    std::memset(memory.begin(), kPoison, memory.bytes());
    if (memory.bytes() != 0) used_.push_back(dynamic_.get());
}

void* SharedMemory::begin(const void* declaration, const SharedVariable& variable) {
    static_bytes_ += variable.bytes;
    std::unique_ptr<Array>& array = arrays_[declaration];
    if (array == nullptr)
        array = std::make_unique<Array>(variable);
    else
        std::memset(array->memory.begin(), kPoison, variable.bytes);
    used_.push_back(array.get());
    return array->memory.begin();
}

std::string SharedMemory::damage() const {
    for (const Array* const array : used_)
        if (const char* const at = array->memory.damage()) {
            const std::string what = array->text(at);
            array->memory.mend();
            return what;
        }
    return "";
}

bool SharedMemory::has(const void* address) const {
    return std::any_of(used_.begin(), used_.end(),
                       [=](const Array* array) { return array->memory.has(address); });
}

bool SharedMemory::is_in_redzone(const void* address) const {
    for (const Array* const array : used_)
        if (array->memory.has_around(address)) return !array->memory.has(address);
    return false;
}

std::string SharedMemory::text(const void* address) const {
    for (const Array* const array : used_)
        if (array->memory.has_around(address)) return array->text(address);
    return dynamic_->memory.has_around(address) ? dynamic_->text(address) : "";
}

std::string SharedMemory::element_text(const void* address) const {
    for (const Array* const array : used_)
        if (array->memory.has_around(address)) return array->element_text(address);
    return "";
}

std::string SharedMemory::Array::element_text(const void* address) const {
    if (*variable.name == '\0') return memory.text(address) + "the dynamic shared memory";
    return element(variable.name, memory.begin(), variable.element_bytes, address);
}

std::string SharedMemory::Array::text(const void* address) const {
    const std::string bytes = Redzoned::bytes_text(variable.bytes), what = element_text(address);
    if (*variable.name == '\0') return what + ", of which the launch asks for " + bytes;
    return what + ", " + memory.text(address) + "the shared variable " + variable.name + " (" + bytes +
           ", declared at " + variable.site.file + ":" + std::to_string(variable.site.line) + ")";
}

}  // namespace sim
