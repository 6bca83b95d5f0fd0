#pragma once

// How many names lead to an opened file; -1 if the system does not say, which is then in errno.
//
// Linux gives a file that was asked for its times a new time with each write from then on, and then a sync of its data writes
// them to the disk as well (multigrain timestamps, since 6.13). So it is asked for this number and nothing else.
#if defined(__linux__) && __has_include(<linux/stat.h>) && __has_include(<sys/syscall.h>)
    #include <errno.h>
    #include <linux/stat.h>
    #include <sys/syscall.h>
    #include <unistd.h>

    static inline long clinkcount(int descriptor) {
        struct statx found;
        // AT_EMPTY_PATH: the file of the descriptor.
        if (syscall(SYS_statx, descriptor, "", 0x1000, STATX_NLINK, &found) != 0) return -1;
        if (found.stx_mask & STATX_NLINK) return found.stx_nlink;
        errno = ENOTSUP;
        return -1;
    }
#else
    #include <sys/stat.h>

    static inline long clinkcount(int descriptor) {
        struct stat found;
        return fstat(descriptor, &found) == 0 ? (long)found.st_nlink : -1;
    }
#endif
