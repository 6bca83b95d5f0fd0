// A library to preload: the nth call of a kind fails, once or permanently. Counts calls on what a database opened: everything
// that was opened relative to a directory, and what was opened relative to that.
//
//   FAIL_CALL=pwrite FAIL_AT=3 FAIL_ERRNO=28 FAIL_FOREVER=0 FAIL_MARK=/tmp/fired LD_PRELOAD=shim.so program
//
// FAIL_LACKING=renameat2,linkat makes a system that does not have these calls, so that a program makes others in their place.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { descriptors = 4096 };
static atomic_int count;
static atomic_bool ours[descriptors];

static int is_ours(int fd) { return fd >= 0 && fd < descriptors && atomic_load(&ours[fd]); }

static int fails(const char *call) {
    const char *name = getenv("FAIL_CALL"), *at = getenv("FAIL_AT"), *number = getenv("FAIL_ERRNO");
    if (!name || !at || !number || strcmp(name, call)) return 0;
    int nth = atomic_fetch_add(&count, 1) + 1;
    const char *forever = getenv("FAIL_FOREVER");
    if (nth != atoi(at) && !(nth > atoi(at) && forever && forever[0] == '1')) return 0;
    const char *mark = getenv("FAIL_MARK");
    if (mark) {
        int (*creat_file)(const char *, mode_t) = dlsym(RTLD_NEXT, "creat");
        int fd = creat_file(mark, 0600);
        int (*close_file)(int) = dlsym(RTLD_NEXT, "close");
        if (fd >= 0) close_file(fd);
    }
    errno = atoi(number);
    return 1;
}

/// Whether the system is to lack the call.
static int is_lacking(const char *call) {
    const char *names = getenv("FAIL_LACKING");
    size_t length = strlen(call);
    for (const char *at = names; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, call, length) && (at[length] == ',' || !at[length])) {
            errno = ENOSYS;
            return 1;
        }
    return 0;
}

#define NEXT(type, name, ...) type (*next)(__VA_ARGS__) = dlsym(RTLD_NEXT, name)

static int opened(int directory, int fd, const char *path) {
    // The first directory is opened by its path: a database is what its name ends in.
    size_t length = strlen(path);
    int is_root = length > 7 && !strcmp(path + length - 7, ".yaprak");
    if (fd >= 0 && fd < descriptors) atomic_store(&ours[fd], is_root || is_ours(directory));
    return fd;
}

#define OPENAT(name)                                                                    \
    int name(int directory, const char *path, int flags, ...) {                         \
        va_list list;                                                                   \
        va_start(list, flags);                                                          \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;       \
        va_end(list);                                                                   \
        NEXT(int, #name, int, const char *, int, ...);                                  \
        if (is_ours(directory) && fails("openat")) return -1;                           \
        return opened(directory, next(directory, path, flags, mode), path);             \
    }
OPENAT(openat)
OPENAT(openat64)

#define OPEN(name)                                                                      \
    int name(const char *path, int flags, ...) {                                        \
        va_list list;                                                                   \
        va_start(list, flags);                                                          \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;       \
        va_end(list);                                                                   \
        NEXT(int, #name, const char *, int, ...);                                       \
        return opened(-1, next(path, flags, mode), path);                               \
    }
OPEN(open)
OPEN(open64)

#define CALL(type, name, kind, fd, parameters, arguments, ...) \
    type name parameters {                                     \
        NEXT(type, #name, __VA_ARGS__);                        \
        if (is_ours(fd) && (is_lacking(kind) || fails(kind))) return -1; \
        return next arguments;                                 \
    }
CALL(ssize_t, pread, "pread", fd, (int fd, void *b, size_t n, off_t at), (fd, b, n, at), int, void *, size_t, off_t)
CALL(ssize_t, pread64, "pread", fd, (int fd, void *b, size_t n, off64_t at), (fd, b, n, at), int, void *, size_t, off64_t)
CALL(ssize_t, pwrite, "pwrite", fd, (int fd, const void *b, size_t n, off_t at), (fd, b, n, at), int, const void *, size_t, off_t)
CALL(ssize_t, pwrite64, "pwrite", fd, (int fd, const void *b, size_t n, off64_t at), (fd, b, n, at), int, const void *, size_t, off64_t)
CALL(int, fsync, "fsync", fd, (int fd), (fd), int)
CALL(int, fdatasync, "fdatasync", fd, (int fd), (fd), int)
CALL(int, ftruncate, "ftruncate", fd, (int fd, off_t n), (fd, n), int, off_t)
CALL(int, ftruncate64, "ftruncate", fd, (int fd, off64_t n), (fd, n), int, off64_t)
CALL(int, fallocate, "fallocate", fd, (int fd, int m, off_t at, off_t n), (fd, m, at, n), int, int, off_t, off_t)
CALL(int, fallocate64, "fallocate", fd, (int fd, int m, off64_t at, off64_t n), (fd, m, at, n), int, int, off64_t, off64_t)
CALL(int, flock, "flock", fd, (int fd, int how), (fd, how), int, int)
CALL(int, fstat, "fstat", fd, (int fd, struct stat *s), (fd, s), int, struct stat *)

// The log asks for the number of its names by the number of the call.
long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    NEXT(long, "syscall", long, ...);
    if (number == SYS_statx && is_ours((int)a[0]) && fails("statx")) return -1;
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

CALL(int, mkdirat, "mkdirat", fd, (int fd, const char *p, mode_t m), (fd, p, m), int, const char *, mode_t)
CALL(int, unlinkat, "unlinkat", fd, (int fd, const char *p, int f), (fd, p, f), int, const char *, int)
CALL(int, linkat, "linkat", fd, (int fd, const char *p, int t, const char *q, int f), (fd, p, t, q, f), int, const char *, int, const char *, int)
CALL(int, renameat, "renameat", fd, (int fd, const char *p, int t, const char *q), (fd, p, t, q), int, const char *, int, const char *)
CALL(int, renameat2, "renameat2", fd, (int fd, const char *p, int t, const char *q, unsigned f), (fd, p, t, q, f), int, const char *, int, const char *, unsigned)

int posix_fallocate(int fd, off_t at, off_t n) {
    NEXT(int, "posix_fallocate", int, off_t, off_t);
    if (is_ours(fd) && fails("fallocate")) return errno;
    return next(fd, at, n);
}

int posix_fallocate64(int fd, off64_t at, off64_t n) {
    NEXT(int, "posix_fallocate64", int, off64_t, off64_t);
    if (is_ours(fd) && fails("fallocate")) return errno;
    return next(fd, at, n);
}

int close(int fd) {
    NEXT(int, "close", int);
    int mine = is_ours(fd);
    if (fd >= 0 && fd < descriptors) atomic_store(&ours[fd], 0);
    int result = next(fd);
    // It is closed whatever it reports.
    if (mine && fails("close")) return -1;
    return result;
}
