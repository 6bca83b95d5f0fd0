#ifndef CHELPERS_H
#define CHELPERS_H
#include <stddef.h>
#include <stdint.h>

/// Monotonic time, in nanoseconds.
uint64_t ch_now_ns(void);
/// CPU time of the whole process, in nanoseconds.
uint64_t ch_cpu_ns(void);

/// Asks for a cache line that is about to be read.
static inline void ch_prefetch(const void *address) { __builtin_prefetch(address); }

/// Live bytes of the heap, the allocator's own share included.
size_t ch_heap_in_use(void);
/// Gives free memory back, so that one measure does not inherit the other's heap.
void ch_heap_trim(void);

/// Whether the counters below count: with glibc, where the program's own malloc and fdatasync go before the library's.
int ch_counts(void);
/// Allocations of the whole process: of all threads, those that have ended included.
uint64_t ch_allocations(void);
/// Syncs of the whole process: fsync, fdatasync and msync.
uint64_t ch_syncs(void);
/// Bytes of the whole process that went through write, pwrite, writev and pwritev.
uint64_t ch_bytes_written(void);
#endif
