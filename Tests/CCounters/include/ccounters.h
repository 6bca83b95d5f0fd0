#ifndef CCOUNTERS_H
#define CCOUNTERS_H
#include <stdint.h>

/// Whether anything is counted: with glibc, where a program's own malloc goes before the library's.
int cc_counts(void);
/// Allocations of the whole process since it began.
uint64_t cc_allocations(void);
/// Calls of fstat of the whole process since it began.
uint64_t cc_status_calls(void);
#endif
