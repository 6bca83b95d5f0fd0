#if Inspector
    import SystemPackage

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Which file or directory a path leads to, as the file system knows it.
    struct FileIdentity: Equatable, Sendable {
        private let device: UInt64
        private let inode: UInt64

        /// `nil` if there is nothing at the path, or nothing that this process may look at.
        init?(of path: FilePath) {
            var status = stat()
            guard path.withPlatformString({ stat($0, &status) }) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }
#endif
