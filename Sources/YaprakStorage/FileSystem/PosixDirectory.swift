internal import SystemPackage

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// An opened directory of the operating system.
final class PosixDirectory: Directory {
    private let descriptor: Int32
    private let calls: PosixCalls

    init(_ descriptor: Int32, calls: PosixCalls = .system) {
        self.descriptor = descriptor
        self.calls = calls
    }

    deinit { _ = closeDescriptor(descriptor) }

    func openDirectory(_ name: String) throws(DiskError) -> any Directory {
        let opened = openFlags(descriptor, name, directoryFlags, 0)
        guard opened >= 0 else { throw DiskError(.openDirectory, name, lastErrno()) }
        return PosixDirectory(opened)
    }

    func makeDirectory(_ name: String) throws(DiskError) {
        guard mkdirat(descriptor, name, 0o700) == 0 else { throw DiskError(.makeDirectory, name, lastErrno()) }
    }

    func open(_ name: String, _ mode: OpenMode) throws(DiskError) -> any File {
        // Without O_NONBLOCK a named pipe in place of a file would block here forever.
        let common = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let flags =
            switch mode {
            case .read: O_RDONLY | common
            case .write: O_RDWR | common
            case .create: O_RDWR | O_CREAT | O_EXCL | common
            case .createIfAbsent: O_RDWR | O_CREAT | common
            }
        let opened = openFlags(descriptor, name, flags, 0o600)
        guard opened >= 0 else { throw DiskError(.open, name, lastErrno()) }
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            _ = closeDescriptor(opened)
            throw DiskError(.open, name, .invalidArgument)
        }
        return PosixFile(opened, name)
    }

    func list(limit: Int) throws(DiskError) -> [String] {
        let copy = openFlags(descriptor, ".", directoryFlags, 0)
        guard copy >= 0 else { throw DiskError(.list, ".", lastErrno()) }
        guard let stream = fdopendir(copy) else {
            let error = lastErrno()
            _ = closeDescriptor(copy)
            throw DiskError(.list, ".", error)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw DiskError(.list, ".", lastErrno()) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
                String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            guard names.count < limit else { throw DiskError(.list, ".", .fileTooLarge) }
            names.append(name)
        }
    }

    func rename(_ source: String, to target: String) throws(DiskError) {
        try FileNaming(directory: descriptor).rename(source, to: target)
    }

    func replace(_ target: String, by source: String) throws(DiskError) {
        guard renameat(descriptor, source, descriptor, target) == 0 else {
            throw DiskError(.rename, target, lastErrno())
        }
    }

    func link(_ source: String, to target: String, in directory: any Directory) throws(DiskError) {
        guard let other = directory as? PosixDirectory else { throw DiskError(.link, target, .improperLink) }
        guard linkat(descriptor, source, other.descriptor, target, 0) == 0 else {
            throw DiskError(.link, target, lastErrno())
        }
    }

    func unlink(_ name: String) throws(DiskError) {
        guard unlinkat(descriptor, name, 0) == 0 else { throw DiskError(.unlink, name, lastErrno()) }
    }

    func removeDirectory(_ name: String) throws(DiskError) {
        guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else {
            throw DiskError(.removeDirectory, name, lastErrno())
        }
    }

    func sync() throws(DiskError) {
        if let error = uninterrupted({ calls.syncDirectory(descriptor) }) {
            throw DiskError(.syncDirectory, ".", error)
        }
    }

    func lock(_ name: String) throws(DiskError) -> (any FileLock)? {
        guard let file = try open(name, .createIfAbsent) as? PosixFile else { return nil }
        return try PosixLock.take(file)
    }

    func waitForOthers(microseconds: UInt32) { usleep(microseconds) }
}
