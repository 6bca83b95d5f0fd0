internal import SystemPackage
internal import YaprakLocks
internal import YaprakStorage

/// A file of the simulated disk.
final class MemoryFile: File {
    private let system: MemoryFileSystem
    private let node: Int
    private let name: String

    init(_ system: MemoryFileSystem, _ node: Int, _ name: String) {
        self.system = system
        self.node = node
        self.name = name
    }

    private func call<T: Sendable>(
        _ operation: DiskError.Operation, changes: Bool,
        _ body: (inout SimulatedDisk, SimulatedDisk.Course) throws(DiskError) -> T
    ) throws(DiskError) -> T {
        system.beforeCall(operation, changes)
        let result = system.disk.withLock { disk in
            Result { () throws(DiskError) -> T in
                let course = try disk.begin(operation, name, of: node, changes: changes)
                let result = try body(&disk, course)
                guard let error = course.errorAfter else { return result }
                throw DiskError(operation, name, error)
            }
        }
        return try result.get()
    }

    func size() throws(DiskError) -> UInt64 {
        try call(.size, changes: false) { disk, _ in UInt64(disk.files[node]?.current.count ?? 0) }
    }

    func hasName() throws(DiskError) -> Bool {
        system.disk.withLock { disk in disk.directories.values.contains { $0.current.values.contains(node) } }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int {
        let found = try call(.read, changes: false) { disk, _ -> [UInt8] in
            guard let content = disk.files[node]?.current, offset < content.count else { return [] }
            let start = Int(offset)
            return Array(content[start..<min(content.count, start + buffer.count)])
        }
        buffer.copyBytes(from: found)
        return found.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int {
        let copy = Array(bytes)
        return try call(.write, changes: true) { disk, course throws(DiskError) in
            disk.note(copy)
            var written = course.isReduced ? Array(copy.prefix(max(1, copy.count / 2))) : copy
            let size = disk.files[node]?.current.count ?? 0
            let growth = Int(offset) + written.count - size
            let room = disk.room()
            if growth > room {
                // What fits is written, as a file system does it.
                written.removeLast(min(written.count, growth - room))
                guard !written.isEmpty else {
                    disk.failed(.write, nil)
                    throw DiskError(.write, name, .noSpace)
                }
            }
            disk.write(node, written, at: Int(offset))
            return written.count
        }
    }

    func syncData() throws(DiskError) {
        try call(.syncData, changes: true) { disk, course in if !course.isReduced { disk.syncContent(of: node) } }
    }

    func sync() throws(DiskError) {
        try call(.sync, changes: true) { disk, course in if !course.isReduced { disk.syncContent(of: node) } }
    }

    func allocate(to length: UInt64) throws(DiskError) {
        try call(.allocate, changes: true) { disk, _ throws(DiskError) in
            let growth = Int(length) - (disk.files[node]?.current.count ?? 0)
            guard growth > 0 else { return }
            guard growth <= disk.room() else {
                disk.failed(.allocate, nil)
                throw DiskError(.allocate, name, .noSpace)
            }
            disk.setLength(node, Int(length))
        }
    }

    func truncate(to length: UInt64) throws(DiskError) {
        try call(.truncate, changes: true) { disk, _ in disk.setLength(node, Int(length)) }
    }

    func dropCache() {}

    func close() throws(DiskError) { try call(.close, changes: false) { _, _ in } }
}
