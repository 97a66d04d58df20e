/// @file
/// @brief Memory that kernels and the host share (managed memory, and pinned memory that a kernel gets), and
/// missing waits of the host for a kernel that uses this memory.
///
/// The pages of this memory are inaccessible when a grid begins. The first access to a page traps. The
/// handler then opens the page, or several if pages are used in order. A page is copied before it is first
/// written. At the grid's end, the copies show which bytes the grid has changed. Until the host waits for the
/// grid, it can't access the changed pages, and can't write to other pages at which the grid has trapped. A
/// trap of the host is a missing wait if the grid is known to have used that very byte; otherwise, the page
/// is opened.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../platform/platform.hpp"
#include "cuda_runtime.h"
#include "operation.hpp"

namespace sim {

/// Called when a grid begins: makes the memory that it shares with the host inaccessible, to notice accesses.
/// @param[in] shared This memory, in whole pages, which are still accessible.
void watch_grid(const Kernel& kernel, const std::vector<platform::Range>& shared);
/// Called when the grid has ended: notes what it has used, and makes the pages accessible again.
void end_watch();
/// Protects the pages that the host may not use yet.
void guard_shared();

/// Called when an access has trapped. @return Whether it is allowed now.
bool shared_passes(const void* address, bool by_kernel);
/// @return Which kernel uses an address, as text that follows the address; empty if none.
std::string unawaited_text(const void* address);

/// Called when a grid that has printed ends. If the host never waits for it, the program's end reports this.
void note_printed(const Kernel& kernel);

/// Called when the host has waited for this work: makes its pages accessible.
void release_shared(const Clock& awaited);
/// Called when other work uses some memory, or when it is freed: no longer watches its pages for the host.
void forget_shared(const void* begin, std::size_t bytes);
/// Whether there is memory that the host may not use yet, or output that a GPU could lose.
bool is_unawaited();

}  // namespace sim
