import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Which directory a path leads to, as the file system knows it: one that is moved stays the same.
struct DirectoryIdentity: Equatable {
    private let device: UInt64
    private let inode: UInt64

    /// `nil` if there is nothing at the path, or nothing that this process may look at. A link in its last place is not followed:
    /// no database is opened through one.
    ///
    /// Not inlined: for its buffer, the parts of an async function would get a stack canary, which is a thread-local variable.
    @inline(never)
    init?(of path: FilePath) {
        var status = stat()
        guard path.withPlatformString({ lstat($0, &status) }) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
