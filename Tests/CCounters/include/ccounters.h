#ifndef CCOUNTERS_H
#define CCOUNTERS_H
#include <stdint.h>

/// Whether allocations are counted: with glibc, where a program's own malloc goes before the library's.
int cc_counts(void);
/// Allocations of the whole process since it began.
uint64_t cc_allocations(void);
#endif
