import SystemPackage
import YaprakLocks

@testable import YaprakStorage

/// Counts the bytes that a reader reads, and does something else before one of its calls. Its paths may end in dots.
final class WatchedFileSystem: FileSystem {
    private let base: any FileSystem
    fileprivate let bytes = Mutex(0)
    private let planned: Mutex<(calls: Int, actions: [(call: Int, action: @Sendable () -> Void)])>

    /// Does something before some calls, in the middle of what the reader is doing.
    init(_ base: any FileSystem, beforeCalls actions: [(call: Int, action: @Sendable () -> Void)] = []) {
        self.base = base
        planned = Mutex((0, actions))
    }

    /// Whether all planned calls have come.
    var isDone: Bool { planned.withLock { $0.actions.isEmpty } }

    fileprivate func note() {
        let due = planned.withLock { planned in
            let due = planned.actions.filter { $0.call <= planned.calls }
            planned.actions.removeAll { $0.call <= planned.calls }
            planned.calls += 1
            return due
        }
        for (_, action) in due { action() }
    }

    func takeBytes() -> Int {
        bytes.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    func openDirectory(_ path: FilePath) throws(DiskError) -> any Directory {
        WatchedDirectory(try base.openDirectory(path), self, path: path.lexicallyNormalized())
    }
}

private final class WatchedDirectory: Directory {
    private let base: any Directory
    private let watch: WatchedFileSystem
    /// Where it is, if it was opened by its path.
    private let path: FilePath?

    init(_ base: any Directory, _ watch: WatchedFileSystem, path: FilePath? = nil) {
        self.base = base
        self.watch = watch
        self.path = path
    }

    func openDirectory(_ name: String) throws(DiskError) -> any Directory {
        // As a system has it; the simulated disk knows no dots.
        if name == "..", let path { return try watch.openDirectory(path.removingLastComponent()) }
        return WatchedDirectory(try base.openDirectory(name), watch)
    }
    func open(_ name: String, _ mode: OpenMode) throws(DiskError) -> any File {
        watch.note()
        return WatchedFile(try base.open(name, mode), watch)
    }
    func makeDirectory(_ name: String) throws(DiskError) { try base.makeDirectory(name) }
    func list(limit: Int) throws(DiskError) -> [String] {
        watch.note()
        return try base.list(limit: limit)
    }
    func rename(_ source: String, to target: String) throws(DiskError) { try base.rename(source, to: target) }
    func replace(_ target: String, by source: String) throws(DiskError) { try base.replace(target, by: source) }
    func link(_ source: String, to target: String, in directory: any Directory) throws(DiskError) {
        try base.link(source, to: target, in: directory)
    }
    func unlink(_ name: String) throws(DiskError) { try base.unlink(name) }
    func removeDirectory(_ name: String) throws(DiskError) { try base.removeDirectory(name) }
    func sync() throws(DiskError) { try base.sync() }
    func lock(_ name: String) throws(DiskError) -> (any FileLock)? { try base.lock(name) }
    func waitForOthers(microseconds: UInt32) { base.waitForOthers(microseconds: microseconds) }
}

private final class WatchedFile: File {
    private let base: any File
    private let watch: WatchedFileSystem

    init(_ base: any File, _ watch: WatchedFileSystem) {
        self.base = base
        self.watch = watch
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int {
        watch.note()
        let count = try base.read(into: buffer, at: offset)
        watch.bytes.withLock { $0 += count }
        return count
    }
    func nextData(from offset: UInt64) -> UInt64 { base.nextData(from: offset) }
    func size() throws(DiskError) -> UInt64 {
        watch.note()
        return try base.size()
    }
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
