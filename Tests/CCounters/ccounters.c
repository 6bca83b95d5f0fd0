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

#if defined(__GLIBC__) && defined(__x86_64__)
#include <stdbool.h>

// As above, before those of Swift's runtime, for what the program itself calls. Elsewhere than on x86-64 these functions keep more
// registers than one in C does. (The runtime has hooks for it, which Swift 6.3 calls with small strings: swiftlang/swift#88924.)

static atomic_uint_fast64_t references;
static atomic_bool counts_references;

#define COUNT_REFERENCES(type, name, parameters, arguments, n) \
    type name parameters { \
        static type (*_Atomic next) parameters; \
        if (!next) next = dlsym(RTLD_NEXT, #name); \
        if (atomic_load_explicit(&counts_references, memory_order_relaxed)) \
            atomic_fetch_add_explicit(&references, n, memory_order_relaxed); \
        return next arguments; \
    }

COUNT_REFERENCES(void *, swift_retain, (void *o), (o), 1)
COUNT_REFERENCES(void *, swift_retain_n, (void *o, uint32_t n), (o, n), n)
COUNT_REFERENCES(void, swift_release, (void *o), (o), 1)
COUNT_REFERENCES(void, swift_release_n, (void *o, uint32_t n), (o, n), n)
COUNT_REFERENCES(void *, swift_bridgeObjectRetain, (void *o), (o), 1)
COUNT_REFERENCES(void *, swift_bridgeObjectRetain_n, (void *o, uint32_t n), (o, n), n)
COUNT_REFERENCES(void, swift_bridgeObjectRelease, (void *o), (o), 1)
COUNT_REFERENCES(void, swift_bridgeObjectRelease_n, (void *o, uint32_t n), (o, n), n)

int cc_counts_references(void) { return 1; }
void cc_count_references(int on) { atomic_store(&counts_references, on != 0); }
uint64_t cc_references(void) { return atomic_load(&references); }
#else
int cc_counts_references(void) { return 0; }
void cc_count_references(int on) {}
uint64_t cc_references(void) { return 0; }
#endif
