internal import CLinkCount
internal import SystemPackage

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// An opened file of the operating system.
final class PosixFile: File {
    let descriptor: Int32
    private let name: String
    private let calls: PosixCalls
    private let isClosed = OnceFlag()

    init(_ descriptor: Int32, _ name: String, calls: PosixCalls = .system) {
        self.descriptor = descriptor
        self.name = name
        self.calls = calls
    }

    deinit { if isClosed.set() { _ = closeDescriptor(descriptor) } }

    func size() throws(DiskError) -> UInt64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskError(.size, name, lastErrno()) }
        return UInt64(max(0, status.st_size))
    }

    func hasName() throws(DiskError) -> Bool {
        let count = clinkcount(descriptor)
        if count >= 0 { return count > 0 }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskError(.size, name, lastErrno()) }
        return status.st_nlink > 0
    }

    func hasOtherNames() throws(DiskError) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskError(.size, name, lastErrno()) }
        return status.st_nlink > 1
    }

    func nextData(from offset: UInt64) -> UInt64 {
        guard let position = off_t(exactly: offset) else { return offset }
        #if canImport(Darwin)
            // There a place within data has the next data *behind* it, or none. Only one in a hole is asked about data.
            guard lseek(descriptor, position, seekHole) == position else { return offset }
        #endif
        let found = lseek(descriptor, position, seekData)
        if found >= 0 { return UInt64(found) }
        // No data up to the end, or a file system that can't tell.
        return errno == ENXIO ? .max : offset
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
        if let error = uninterrupted({ calls.syncData(descriptor) }) { throw DiskError(.syncData, name, error) }
    }

    func sync() throws(DiskError) {
        if let error = uninterrupted({ calls.sync(descriptor) }) { throw DiskError(.sync, name, error) }
    }

    func allocate(to length: UInt64) throws(DiskError) {
        guard let target = off_t(exactly: length) else { throw DiskError(.allocate, name, .fileTooLarge) }
        // Only behind the end. Where a file system can't allocate, the C library reads a byte of each block and writes a zero
        // over it if it is one: for the whole file each time, durable blocks included.
        let size = off_t(try size())
        guard target > size else { return }
        if let error = calls.allocate(descriptor, size, target - size) { throw DiskError(.allocate, name, error) }
    }

    func truncate(to length: UInt64) throws(DiskError) {
        guard let target = off_t(exactly: length) else { throw DiskError(.truncate, name, .fileTooLarge) }
        guard ftruncate(descriptor, target) == 0 else { throw DiskError(.truncate, name, lastErrno()) }
    }

    func dropCache() {
        #if canImport(Darwin)
            // No call does it for a file, but one does it for memory that the file is mapped to, and the pages are the same.
            guard let size = try? self.size(), let length = Int(exactly: size), length > 0 else { return }
            let pages = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, 0)
            guard let pages, Int(bitPattern: pages) != -1 else { return }
            // Without MS_SYNC, what was not written yet would be dropped as well.
            _ = msync(pages, length, MS_SYNC | MS_INVALIDATE)
            _ = munmap(pages, length)
        #else
            _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }

    func close() throws(DiskError) {
        guard isClosed.set() else { return }
        guard closeDescriptor(descriptor) == 0 else { throw DiskError(.close, name, lastErrno()) }
    }
}

// MARK: Calls of the operating system

/// The next data in a sparse file, and the next hole. All reads give their offset, so the position that the call changes is
/// nobody's.
#if canImport(Darwin)
    private let seekHole: Int32 = 3
    private let seekData: Int32 = 4
#else
    private let seekData: Int32 = 3
#endif

/// How a directory is opened: a symbolic link is refused.
let directoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW

/// Opens a name, and retries when the call is interrupted. A free function, because methods have the same name.
func openFlags(_ at: Int32, _ name: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    while true {
        let descriptor = openat(at, name, flags, mode)
        if descriptor >= 0 || errno != EINTR { return descriptor }
    }
}

/// A free function, because methods have the same name.
func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// The error of the last failed call of this thread.
func lastErrno() -> Errno { Errno(rawValue: errno) }
