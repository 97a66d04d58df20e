/// @file
/// @brief Memory that kernels and the host share (managed, and pinned memory that a kernel gets), and missing
/// waits of the host for a kernel that uses it.
///
/// A grid finds these pages inaccessible. Each first access is a trap, which opens a page, or more if pages
/// are used in order, and copies them before they are written. When the grid has ended, this tells which
/// bytes it has changed. Until the host waits for the grid, these pages are inaccessible to the host, and
/// pages that were only read can't be written. A trap of the host is a missing wait if the grid is known to
/// have used that very byte. Otherwise it opens the page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../platform/platform.hpp"
#include "cuda_runtime.h"
#include "operation.hpp"

namespace sim {

/// A grid begins that may use these whole pages. They are already accessible.
void watch_grid(const Kernel& kernel, const std::vector<platform::Range>& shared);
/// The grid has ended: notes what it has used. The pages are accessible again.
void end_watch();
/// Protects all that the host may not use yet.
void guard_shared();

/// Called when an access was not allowed. @return Whether it is now.
bool shared_passes(const void* address, bool by_kernel);
/// @return Which kernel uses an address, to be said after the address; empty if none.
std::string unawaited_text(const void* address);

/// A grid has ended that has printed. If the host does not wait for it, it is told so when the program ends.
void note_printed(const Kernel& kernel);

/// The host has waited for this work.
void release_shared(const Clock& awaited);
/// Other work uses this memory, or it is freed: from now on, the host may use its pages.
void forget_shared(const void* begin, std::size_t bytes);
/// Whether there is memory that the host may not use yet, or output that a GPU may lose.
bool is_unawaited();

}  // namespace sim
