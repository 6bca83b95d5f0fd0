#ifndef CCOUNTERS_H
#define CCOUNTERS_H
#include <stdint.h>

/// Whether anything is counted: with glibc, where a program's own malloc goes before the library's.
int cc_counts(void);
/// Allocations of the whole process since it began.
uint64_t cc_allocations(void);
/// Calls of fstat of the whole process since it began.
uint64_t cc_status_calls(void);
/// Whether references are counted: with glibc on x86-64, where a program's own functions go before those of Swift's runtime.
int cc_counts_references(void);
/// Begins to count references, or stops.
void cc_count_references(int on);
/// References that were added and given up by the whole process while they were counted, those to what is never freed included.
uint64_t cc_references(void);
#endif
