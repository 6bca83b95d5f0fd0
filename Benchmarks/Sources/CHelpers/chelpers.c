// For RTLD_NEXT.
#define _GNU_SOURCE
#include "chelpers.h"
#include <time.h>

static uint64_t ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}
uint64_t ch_now_ns(void) { return ns(CLOCK_MONOTONIC); }
uint64_t ch_cpu_ns(void) { return ns(CLOCK_PROCESS_CPUTIME_ID); }

#if defined(__APPLE__)
#include <malloc/malloc.h>

size_t ch_heap_in_use(void) {
    malloc_statistics_t s;
    malloc_zone_statistics(NULL, &s);
    return s.size_in_use;
}
void ch_heap_trim(void) { malloc_zone_pressure_relief(NULL, 0); }
#elif defined(__GLIBC__)
#include <malloc.h>

size_t ch_heap_in_use(void) {
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}
void ch_heap_trim(void) { malloc_trim(0); }
#else
size_t ch_heap_in_use(void) { return 0; }
void ch_heap_trim(void) {}
#endif

#if defined(__GLIBC__)
#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <sys/uio.h>

// A program's own definition of these goes before the library's, also for the libraries it uses. They count, and do
// what they always did. Each thread has a counter of allocations: a shared one would cost more than what it counts. It takes
// one with its first allocation and leaves it where it is, so that the sum never falls. Threads without number share the last.

enum { counters = 1024 };
static struct { _Alignas(64) atomic_uint_fast64_t count; } allocations[counters];
static atomic_uint taken;
static __thread atomic_uint_fast64_t *own;
static atomic_uint_fast64_t syncs, written;

static atomic_uint_fast64_t *const shared = &allocations[counters - 1].count;

__attribute__((noinline, cold)) static void take_counter(void) {
    unsigned number = atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
    own = number < counters - 1 ? &allocations[number].count : shared;
}

static inline void count_allocation(void) {
    if (__builtin_expect(!own, 0)) take_counter();
    if (__builtin_expect(own == shared, 0)) {
        atomic_fetch_add_explicit(own, 1, memory_order_relaxed);
    } else {
        // Nobody else writes it.
        atomic_store_explicit(own, atomic_load_explicit(own, memory_order_relaxed) + 1, memory_order_relaxed);
    }
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t n) { count_allocation(); return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { count_allocation(); return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { count_allocation(); return __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { count_allocation(); return __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { count_allocation(); return __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) {
    count_allocation();
    *p = __libc_memalign(a, n);
    return *p ? 0 : 12;
}

#define COUNT_SYNC(name, parameters, arguments) \
    int name parameters { \
        static int (*_Atomic next) parameters; \
        if (!next) next = dlsym(RTLD_NEXT, #name); \
        atomic_fetch_add_explicit(&syncs, 1, memory_order_relaxed); \
        return next arguments; \
    }
#define COUNT_WRITE(name, parameters, arguments) \
    ssize_t name parameters { \
        static ssize_t (*_Atomic next) parameters; \
        if (!next) next = dlsym(RTLD_NEXT, #name); \
        ssize_t done = next arguments; \
        if (done > 0) atomic_fetch_add_explicit(&written, (uint64_t)done, memory_order_relaxed); \
        return done; \
    }

COUNT_SYNC(fsync, (int f), (f))
COUNT_SYNC(fdatasync, (int f), (f))
COUNT_SYNC(msync, (void *p, size_t n, int flags), (p, n, flags))
COUNT_WRITE(write, (int f, const void *p, size_t n), (f, p, n))
COUNT_WRITE(pwrite, (int f, const void *p, size_t n, off_t at), (f, p, n, at))
COUNT_WRITE(pwrite64, (int f, const void *p, size_t n, off64_t at), (f, p, n, at))
COUNT_WRITE(writev, (int f, const struct iovec *v, int n), (f, v, n))
COUNT_WRITE(pwritev, (int f, const struct iovec *v, int n, off_t at), (f, v, n, at))

int ch_counts(void) { return 1; }
uint64_t ch_allocations(void) {
    uint64_t sum = 0;
    for (int i = 0; i < counters; i++) sum += atomic_load_explicit(&allocations[i].count, memory_order_relaxed);
    return sum;
}
uint64_t ch_syncs(void) { return atomic_load(&syncs); }
uint64_t ch_bytes_written(void) { return atomic_load(&written); }
#else
int ch_counts(void) { return 0; }
uint64_t ch_allocations(void) { return 0; }
uint64_t ch_syncs(void) { return 0; }
uint64_t ch_bytes_written(void) { return 0; }
#endif
