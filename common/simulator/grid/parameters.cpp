/// @file
/// @brief How messages name memory: by the kernel's parameter that points to it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "../faults/report.hpp"
#include "../memory/device_memory.hpp"
#include "../memory/redzones.hpp"
#include "parameters.hpp"

namespace sim {
namespace {

/// The head of a list of all kernels' parameter names. Initializers in several files add to it before main.
const ParameterNames* all_names = nullptr;

/// The index of the only parameter that is a null pointer; the number of parameters if there is none, or more
/// than one.
std::size_t only_null(const Arguments& all) {
    const auto is_null = [](const Argument& each) {
        return each.pointer == nullptr && each.element_bytes != 0;
    };
    if (std::ranges::count_if(all, is_null) != 1) return all.size();
    return static_cast<std::size_t>(std::ranges::find_if(all, is_null) - all.begin());
}

/// The index of the parameter that points to an address or, of those that point into the same allocation, to
/// the nearest one before it or, if there is none, to the nearest one after it; the number of parameters if
/// there is no such parameter.
std::size_t parameter_at(const Grid& grid, const void* address) {
    const Arguments& all = grid.arguments;
    if (is_near_null(address)) return only_null(all);
    const auto is_better = [&](const void* one, const void* other) {
        if ((one <= address) != (other <= address)) return one <= address;
        return one <= address ? one > other : one < other;
    };
    std::size_t found = all.size();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].pointer != nullptr && are_in_one_allocation(all[i].pointer, address) &&
            (found == all.size() || is_better(all[i].pointer, all[found].pointer)))
            found = i;
    return found;
}

}  // namespace

ParameterNames::ParameterNames(const char* of, const char* all) : kernel(of), names(all), next(all_names) {
    all_names = this;
}

bool is_near_null(const void* address) { return reinterpret_cast<std::uintptr_t>(address) < 4096; }

std::string parameter_name(const Kernel& kernel, std::size_t arguments, std::size_t parameter) {
    const std::string function = plain_name(kernel);
    std::string result;
    for (const ParameterNames* each = all_names; each != nullptr; each = each->next) {
        if (function != each->kernel) continue;
        std::istringstream names(each->names);
        std::string name;
        std::size_t count = 0;
        for (std::string next; std::getline(names, next, ','); ++count)
            if (count == parameter) name = next;
        if (count < arguments) continue;
        if (name.empty() || (!result.empty() && result != name)) return "";
        result = name;
    }
    return result;
}

std::string parameter_text(const Grid& grid, const void* address) {
    const std::size_t count = grid.arguments.size();
    const std::size_t parameter = parameter_at(grid, address);
    return parameter == count ? "" : parameter_name(grid.kernel, count, parameter);
}

std::string element_text(const Grid& grid, const void* address) {
    const std::string name = parameter_text(grid, address);
    if (name.empty()) return "";
    const Argument& argument = grid.arguments[parameter_at(grid, address)];
    return element(name, argument.pointer, argument.element_bytes, address);
}

std::string memory_text(const Grid& grid, const void* address) {
    const std::string element = element_text(grid, address);
    return (element.empty() ? "" : element + ", ") + allocation_text(address);
}

}  // namespace sim
