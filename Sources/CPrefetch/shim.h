#pragma once

// Asks the processor to fetch a cache line that is about to be read. Any address is allowed: nothing is read.
static inline void cprefetch(const void *address) { __builtin_prefetch(address); }
