internal import SystemPackage

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The system calls that make a file durable, or longer; nil for success. Tests put others in their place.
struct PosixCalls: Sendable {
    /// Makes the content and the length of a file durable.
    var syncData: @Sendable (Int32) -> Errno?
    /// Makes all of a file durable.
    var sync: @Sendable (Int32) -> Errno?
    /// Makes the names in a directory durable.
    var syncDirectory: @Sendable (Int32) -> Errno?
    /// Allocates space: so many bytes from an offset on, at the end of the file. On Darwin the file only becomes longer, and has
    /// a hole there: a full disk shows at the write.
    var allocate: @Sendable (Int32, off_t, off_t) -> Errno?
}

extension PosixCalls {
    /// Those of the operating system.
    static let system = PosixCalls(
        syncData: { descriptor in
            #if canImport(Darwin)
                return flush(descriptor)
            #else
                return result(fdatasync(descriptor))
            #endif
        },
        sync: { flush($0) },
        syncDirectory: { flush($0) },
        allocate: { descriptor, offset, count in
            #if canImport(Darwin)
                return result(ftruncate(descriptor, offset + count))
            #else
                let error = posix_fallocate(descriptor, offset, count)
                return error == 0 ? nil : Errno(rawValue: error)
            #endif
        })

    private static func flush(_ descriptor: Int32) -> Errno? {
        #if canImport(Darwin)
            // There fsync does not flush the drive's cache.
            guard let error = result(fcntl(descriptor, F_FULLFSYNC) == -1 ? -1 : 0) else { return nil }
            guard withoutFlush.contains(error) else { return error }
        #endif
        return result(fsync(descriptor))
    }

    #if canImport(Darwin)
        /// What a file system answers that has no such call, as some on a network and in user space.
        private static let withoutFlush: [Errno] = [.notSupported, .invalidArgument, .inappropriateIOCTLForDevice]
    #endif

    private static func result(_ status: Int32) -> Errno? { status == 0 ? nil : lastErrno() }
}

/// Makes a call again as long as a signal interrupts it.
///
/// This is no second try of a sync that failed: one that was interrupted has lost no page and reports none.
func uninterrupted(_ call: () -> Errno?) -> Errno? {
    while true {
        let error = call()
        guard error == Errno.interrupted else { return error }
    }
}
