package import SystemPackage

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The file system of the operating system.
package struct PosixFileSystem: FileSystem {
    package init() {}

    package func openDirectory(_ path: FilePath) throws(DiskError) -> any Directory {
        let descriptor = path.string.withCString { openFlags(AT_FDCWD, $0, directoryFlags, 0) }
        guard descriptor >= 0 else { throw DiskError(.openDirectory, path.string, lastErrno()) }
        return PosixDirectory(descriptor)
    }
}

private let directoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW

/// The calls below are free functions so that methods of the same name can reach them.
private func openFlags(_ at: Int32, _ name: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    while true {
        let descriptor = openat(at, name, flags, mode)
        if descriptor >= 0 || errno != EINTR { return descriptor }
    }
}

private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func lastErrno() -> Errno { Errno(rawValue: errno) }

/// An opened directory of the operating system.
final class PosixDirectory: Directory {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

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
        // Without O_NONBLOCK a named pipe in the place of a file would stop us here for ever.
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
        guard fsync(descriptor) == 0 else { throw DiskError(.syncDirectory, ".", lastErrno()) }
    }

    func lock(_ name: String) throws(DiskError) -> (any FileLock)? {
        guard let file = try open(name, .createIfAbsent) as? PosixFile else { return nil }
        return try PosixLock.take(file)
    }
}

/// An opened file of the operating system.
final class PosixFile: File {
    let descriptor: Int32
    private let name: String
    private let isClosed = OnceFlag()

    init(_ descriptor: Int32, _ name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit { if isClosed.set() { _ = closeDescriptor(descriptor) } }

    func size() throws(DiskError) -> UInt64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskError(.size, name, lastErrno()) }
        return UInt64(max(0, status.st_size))
    }

    func hasName() throws(DiskError) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskError(.size, name, lastErrno()) }
        return status.st_nlink > 0
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int {
        guard let position = off_t(exactly: offset) else { throw DiskError(.read, name, .invalidArgument) }
        let count = pread(descriptor, buffer.baseAddress, buffer.count, position)
        guard count >= 0 else { throw DiskError(.read, name, lastErrno()) }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int {
        guard let position = off_t(exactly: offset) else { throw DiskError(.write, name, .fileTooLarge) }
        let count = pwrite(descriptor, bytes.baseAddress, bytes.count, position)
        guard count >= 0 else { throw DiskError(.write, name, lastErrno()) }
        return count
    }

    func syncData() throws(DiskError) {
        #if canImport(Darwin)
            try sync()
        #else
            guard fdatasync(descriptor) == 0 else { throw DiskError(.syncData, name, lastErrno()) }
        #endif
    }

    func sync() throws(DiskError) {
        #if canImport(Darwin)
            // fsync there stops at the drive's cache.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
            guard errno == ENOTSUP || errno == EINVAL else { throw DiskError(.sync, name, lastErrno()) }
        #endif
        guard fsync(descriptor) == 0 else { throw DiskError(.sync, name, lastErrno()) }
    }

    func allocate(to length: UInt64) throws(DiskError) {
        guard let target = off_t(exactly: length) else { throw DiskError(.allocate, name, .fileTooLarge) }
        #if canImport(Darwin)
            guard ftruncate(descriptor, max(target, off_t(try size()))) == 0 else {
                throw DiskError(.allocate, name, lastErrno())
            }
        #else
            let result = posix_fallocate(descriptor, 0, target)
            guard result == 0 else { throw DiskError(.allocate, name, Errno(rawValue: result)) }
        #endif
    }

    func truncate(to length: UInt64) throws(DiskError) {
        guard let target = off_t(exactly: length) else { throw DiskError(.truncate, name, .fileTooLarge) }
        guard ftruncate(descriptor, target) == 0 else { throw DiskError(.truncate, name, lastErrno()) }
    }

    func dropCache() {
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_NOCACHE, 1)
        #else
            _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }

    func close() throws(DiskError) {
        guard isClosed.set() else { return }
        guard closeDescriptor(descriptor) == 0 else { throw DiskError(.close, name, lastErrno()) }
    }
}
