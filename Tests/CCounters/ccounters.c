// For RTLD_NEXT.
#define _GNU_SOURCE
#include "ccounters.h"

#ifdef __GLIBC__
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/stat.h>

// A program's own definition of these goes before the library's, also for the libraries it uses. They count, and do
// what they always did.

static atomic_uint_fast64_t allocations, status_calls;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void count(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

void *malloc(size_t n) { count(); return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { count(); return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { count(); return __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { count(); return __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { count(); return __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) {
    count();
    *p = __libc_memalign(a, n);
    return *p ? 0 : 12;
}

// Before 2.33 it was no function of the library.
#if __GLIBC_PREREQ(2, 33)
int fstat(int f, struct stat *s) {
    static int (*_Atomic next)(int, struct stat *);
    if (!next) next = dlsym(RTLD_NEXT, "fstat");
    atomic_fetch_add_explicit(&status_calls, 1, memory_order_relaxed);
    return next(f, s);
}
#endif

int cc_counts(void) { return 1; }
uint64_t cc_allocations(void) { return atomic_load(&allocations); }
uint64_t cc_status_calls(void) { return atomic_load(&status_calls); }
#else
int cc_counts(void) { return 0; }
uint64_t cc_allocations(void) { return 0; }
uint64_t cc_status_calls(void) { return 0; }
#endif
