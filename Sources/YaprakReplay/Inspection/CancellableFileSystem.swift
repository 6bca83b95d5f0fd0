import SystemPackage
import YaprakStorage

/// A file system that reads nothing more once nobody waits for it: what needs another byte fails then, and soon ends.
///
/// Readers of a database take a file that can't be read for damage and go on with the next. So who asks for something with it
/// has to ask afterwards whether it was cancelled: ``ReplayReader/reading(unless:_:)``. Writing is not cancelled.
struct CancellableFileSystem: FileSystem {
    let base: any FileSystem
    let isCancelled: @Sendable () -> Bool

    func openDirectory(_ path: FilePath) throws(DiskError) -> any Directory {
        CancellableDirectory(try base.openDirectory(path), isCancelled)
    }
}

private final class CancellableDirectory: Directory {
    private let base: any Directory
    private let isCancelled: @Sendable () -> Bool

    init(_ base: any Directory, _ isCancelled: @escaping @Sendable () -> Bool) {
        self.base = base
        self.isCancelled = isCancelled
    }

    func openDirectory(_ name: String) throws(DiskError) -> any Directory {
        CancellableDirectory(try base.openDirectory(name), isCancelled)
    }

    func open(_ name: String, _ mode: OpenMode) throws(DiskError) -> any File {
        if isCancelled() { throw DiskError(.open, name, .canceled) }
        return CancellableFile(try base.open(name, mode), isCancelled)
    }

    func list(limit: Int) throws(DiskError) -> [String] {
        if isCancelled() { throw DiskError(.list, ".", .canceled) }
        return try base.list(limit: limit)
    }

    func makeDirectory(_ name: String) throws(DiskError) { try base.makeDirectory(name) }
    func rename(_ source: String, to target: String) throws(DiskError) { try base.rename(source, to: target) }
    func replace(_ target: String, by source: String) throws(DiskError) { try base.replace(target, by: source) }
    func link(_ source: String, to target: String, in directory: any Directory) throws(DiskError) {
        try base.link(source, to: target, in: (directory as? CancellableDirectory)?.base ?? directory)
    }
    func unlink(_ name: String) throws(DiskError) { try base.unlink(name) }
    func removeDirectory(_ name: String) throws(DiskError) { try base.removeDirectory(name) }
    func sync() throws(DiskError) { try base.sync() }
    func lock(_ name: String) throws(DiskError) -> (any FileLock)? { try base.lock(name) }
    func waitForOthers(microseconds: UInt32) { base.waitForOthers(microseconds: microseconds) }
}

private final class CancellableFile: File {
    private let base: any File
    private let isCancelled: @Sendable () -> Bool

    init(_ base: any File, _ isCancelled: @escaping @Sendable () -> Bool) {
        self.base = base
        self.isCancelled = isCancelled
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int {
        if isCancelled() { throw DiskError(.read, "", .canceled) }
        return try base.read(into: buffer, at: offset)
    }

    func size() throws(DiskError) -> UInt64 { try base.size() }
    func hasName() throws(DiskError) -> Bool { try base.hasName() }
    func hasOtherNames() throws(DiskError) -> Bool { try base.hasOtherNames() }
    func nextData(from offset: UInt64) -> UInt64 { base.nextData(from: offset) }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int {
        try base.write(bytes, at: offset)
    }
    func syncData() throws(DiskError) { try base.syncData() }
    func sync() throws(DiskError) { try base.sync() }
    func allocate(to length: UInt64) throws(DiskError) { try base.allocate(to: length) }
    func truncate(to length: UInt64) throws(DiskError) { try base.truncate(to: length) }
    func dropCache() { base.dropCache() }
    func close() throws(DiskError) { try base.close() }
}

extension ReplayReader {
    /// Calls `body` with a reader of the same directory, without types, that reads nothing more once nobody waits for it.
    ///
    /// - Throws: `CancellationError` if `isCancelled` was true until then, whatever became of `body`; what `body` throws.
    package func reading<Result>(
        unless isCancelled: @escaping @Sendable () -> Bool, _ body: (ReplayReader) throws -> Result
    ) throws -> Result {
        let files = CancellableFileSystem(base: PosixFileSystem(), isCancelled: isCancelled)
        do {
            var reader = try ReplayReader(path, fileSystem: files)
            reader.clock = clock
            reader.warn = warn
            let result = try body(reader)
            if isCancelled() { throw CancellationError() }
            return result
        } catch {
            if isCancelled() { throw CancellationError() }
            throw error
        }
    }
}
