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
        _ operation: DiskError.Operation, changes: Bool, _ body: (inout SimulatedDisk, Bool) -> T
    ) throws(DiskError) -> T {
        let result = system.disk.withLock { disk in
            Result { () throws(DiskError) -> T in
                let isWhole = try disk.begin(operation, name, changes: changes)
                return body(&disk, isWhole)
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
        return try call(.write, changes: true) { disk, isWhole in
            let written = isWhole ? copy : Array(copy.prefix(max(1, copy.count / 2)))
            disk.write(node, written, at: Int(offset))
            return written.count
        }
    }

    func syncData() throws(DiskError) { try call(.syncData, changes: true) { disk, _ in disk.syncContent(of: node) } }

    func sync() throws(DiskError) { try call(.sync, changes: true) { disk, _ in disk.syncContent(of: node) } }

    func allocate(to length: UInt64) throws(DiskError) {
        try call(.allocate, changes: true) { disk, _ in
            if disk.files[node]?.current.count ?? 0 < Int(length) { disk.setLength(node, Int(length)) }
        }
    }

    func truncate(to length: UInt64) throws(DiskError) {
        try call(.truncate, changes: true) { disk, _ in disk.setLength(node, Int(length)) }
    }

    func dropCache() {}

    func close() throws(DiskError) { try call(.close, changes: false) { _, _ in } }
}
