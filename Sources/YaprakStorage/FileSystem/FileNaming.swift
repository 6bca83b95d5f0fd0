internal import SystemPackage

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Renames a file without replacing another.
///
/// Uses the system's call for this if there is one. Otherwise it makes a hard link, which can't replace a file either, and
/// removes the first name. Success is decided by whether the new name leads to the file afterwards, not by the results of
/// the calls: some file systems report an error although they did the work. A first name that remains is harmless; the
/// next opening removes it.
struct FileNaming {
    /// The system calls; nil for success. Tests make them fail.
    struct Calls: Sendable {
        /// Renames without replacing; `noFunction` or `invalidArgument` where the system can't.
        var renameToNew: @Sendable (Int32, String, String) -> Errno?
        var link: @Sendable (Int32, String, String) -> Errno?
        var unlink: @Sendable (Int32, String) -> Errno?
        var rename: @Sendable (Int32, String, String) -> Errno?
    }

    let directory: Int32
    var calls = Calls.system

    /// - Throws: `fileExists` if the name is taken by another file; what the calls report.
    func rename(_ source: String, to target: String) throws(DiskError) {
        let own: Identity
        switch identity(source) {
        case .success(let found): own = found
        case .failure(let error): throw DiskError(.rename, target, error)
        }
        // Otherwise the name would lead to what is renamed, and be taken away.
        guard source != target else { throw DiskError(.rename, target, .fileExists) }
        guard let refusal = calls.renameToNew(directory, source, target) else { return }
        if leads(target, to: own) { return dropName(source) }
        guard Self.isUnsupported(refusal) else { throw DiskError(.rename, target, refusal) }
        if !own.isDirectory {
            let error = calls.link(directory, source, target)
            if error == nil || leads(target, to: own) { return dropName(source) }
            guard let error, Self.isUnsupported(error) else {
                throw DiskError(.rename, target, error ?? .ioError)
            }
        }
        // A directory can only replace an empty directory, and a file system without hard links has nothing better.
        guard case .failure(.noSuchFileOrDirectory) = identity(target) else {
            throw DiskError(.rename, target, .fileExists)
        }
        if let error = calls.rename(directory, source, target), !leads(target, to: own) {
            throw DiskError(.rename, target, error)
        }
    }

    private func dropName(_ name: String) { _ = calls.unlink(directory, name) }

    private static func isUnsupported(_ error: Errno) -> Bool {
        [.noFunction, .invalidArgument, .notSupported, .notSupportedOnSocket, .notPermitted].contains(error)
    }

    // MARK: Which file a name leads to

    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64
        let isDirectory: Bool
    }

    private func leads(_ name: String, to own: Identity) -> Bool {
        if case .success(own) = identity(name) { return true }
        return false
    }

    private func identity(_ name: String) -> Result<Identity, Errno> {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return .failure(Errno(rawValue: errno))
        }
        return .success(
            Identity(
                device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino),
                isDirectory: status.st_mode & S_IFMT == S_IFDIR))
    }
}

extension FileNaming.Calls {
    /// Those of the operating system.
    static let system = FileNaming.Calls(
        renameToNew: { directory, source, target in
            #if canImport(Darwin)
                return result(renameatx_np(directory, source, directory, target, UInt32(RENAME_EXCL)))
            #else
                guard let renameAt2 else { return .noFunction }
                return result(renameAt2(directory, source, directory, target, renameNoReplace))
            #endif
        },
        link: { result(linkat($0, $1, $0, $2, 0)) },
        unlink: { result(unlinkat($0, $1, 0)) },
        rename: { result(renameat($0, $1, $0, $2)) })
}

private func result(_ status: Int32) -> Errno? { status == 0 ? nil : Errno(rawValue: errno) }

#if !canImport(Darwin)
    private typealias RenameAt2 =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

    private let renameNoReplace: UInt32 = 1

    /// The Linux call. It is missing from the headers that Swift imports; nil in a C library without it.
    private let renameAt2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: RenameAt2.self) }
#endif
