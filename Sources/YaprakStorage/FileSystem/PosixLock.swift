internal import SystemPackage
internal import YaprakLocks

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// `flock` on a file, and an entry in a list of the process.
///
/// The list is for file systems whose locks belong to the process, which would get the lock twice. A child made by `fork`
/// without `exec` inherits the lock with the descriptor.
final class PosixLock: FileLock {
    private struct Key: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private static let held = Mutex<Set<Key>>([])

    private let file: PosixFile
    private let key: Key
    let hasOtherNames: Bool
    private let isReleased = OnceFlag()

    private init(_ file: PosixFile, _ key: Key, hasOtherNames: Bool) {
        self.file = file
        self.key = key
        self.hasOtherNames = hasOtherNames
    }

    deinit { release() }

    /// Takes the lock of the file; nil if it is taken.
    static func take(_ file: PosixFile) throws(DiskError) -> PosixLock? {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw DiskError(.lock, "LOCK", Errno(rawValue: errno)) }
        let key = Key(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
        guard held.withLock({ $0.insert(key).inserted }) else { return nil }
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            let error = Errno(rawValue: errno)
            if error == .interrupted { continue }
            _ = held.withLock { $0.remove(key) }
            if error == .wouldBlock || error == .resourceTemporarilyUnavailable { return nil }
            throw DiskError(.lock, "LOCK", error)
        }
        return PosixLock(file, key, hasOtherNames: status.st_nlink > 1)
    }

    func note(_ text: String) {
        // A hard link may lead out of the directory.
        guard !hasOtherNames else { return }
        // For information: a process that finds the lock taken may read it. The rest of the file stays (`ClosingMark`).
        let bytes = Array(text.utf8.prefix(64))
        try? file.writeAll(bytes + [UInt8](repeating: 0x0A, count: 64 - bytes.count), at: 0)
    }

    func release() {
        guard isReleased.set() else { return }
        _ = flock(file.descriptor, LOCK_UN)
        try? file.close()
        _ = Self.held.withLock { $0.remove(key) }
    }
}
