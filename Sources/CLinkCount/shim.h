#pragma once

// How many names lead to an opened file; -1 where the system has no such call, or forbids it.
//
// Linux gives a file that was asked for its times a new time with each write from then on, and then a sync of its data writes
// them to the disk as well (multigrain timestamps, since 6.13). So it is asked for this number and nothing else.
#if defined(__linux__) && __has_include(<linux/stat.h>) && __has_include(<sys/syscall.h>)
    #include <linux/stat.h>
    #include <sys/syscall.h>
    #include <unistd.h>

    static inline long clinkcount(int descriptor) {
        struct statx found;
        // AT_EMPTY_PATH: the file of the descriptor.
        if (syscall(SYS_statx, descriptor, "", 0x1000, STATX_NLINK, &found) != 0) return -1;
        return found.stx_mask & STATX_NLINK ? (long)found.stx_nlink : -1;
    }
#else
    static inline long clinkcount(int descriptor) {
        (void)descriptor;
        return -1;
    }
#endif
