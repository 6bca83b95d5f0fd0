internal import SystemPackage
internal import YaprakStorage

/// The state behind `MemoryFileSystem`: nodes with durable and current content, and the changes between the two.
struct SimulatedDisk: Sendable {
    static let root = 0
    static let sectorBytes = 512

    /// A change to a file that was not synced yet.
    struct PendingWrite: Sendable {
        let node: Int
        let offset: Int
        /// Empty with `length` set: the file was made longer or shorter.
        let bytes: [UInt8]
        let length: Int?
        var count: Int { bytes.count }
    }

    /// A change to a directory that was not synced yet.
    struct PendingName: Sendable {
        let directory: Int
        /// Names to remove, then names to set.
        let removed: [String]
        let set: [(name: String, node: Int)]
    }

    struct FileNode: Sendable {
        var durable: [UInt8] = []
        var current: [UInt8] = []
    }

    struct DirectoryNode: Sendable {
        var durable: [String: Int] = [:]
        var current: [String: Int] = [:]
    }

    struct Fault: Sendable {
        let operation: DiskError.Operation?
        var countdown: Int
        /// nil: the write is short.
        let errno: Errno?
        let forever: Bool
        var isSpent: Bool { countdown <= 0 }
    }

    var files: [Int: FileNode] = [:]
    var directories: [Int: DirectoryNode] = [root: DirectoryNode()]
    var nextNode = 1
    var pendingWrites: [PendingWrite] = []
    var pendingNames: [PendingName] = []
    var locks: Set<Int> = []
    var faults: [Fault] = []
    var calls: [DiskError.Operation: Int] = [:]
    var changes = 0
    var cutAfter: Int?
    var isCut = false

    /// Counts a call and lets it fail if it is planned to. Returns false if a write is to be short.
    @discardableResult
    mutating func begin(_ operation: DiskError.Operation, _ name: String, changes isChange: Bool) throws(DiskError)
        -> Bool
    {
        calls[operation, default: 0] += 1
        if isCut { throw DiskError(operation, name, .ioError) }
        if isChange, let cutAfter, changes >= cutAfter {
            isCut = true
            throw DiskError(operation, name, .ioError)
        }
        var isWhole = true
        for i in faults.indices where faults[i].operation == nil || faults[i].operation == operation {
            guard faults[i].countdown > 0 || faults[i].forever else { continue }
            faults[i].countdown -= 1
            guard faults[i].countdown <= 0 else { continue }
            guard let errno = faults[i].errno else {
                isWhole = false
                continue
            }
            failed(operation, errno)
            throw DiskError(operation, name, errno)
        }
        if isChange { changes += 1 }
        return isWhole
    }

    /// A failed sync marks pages clean without having written them: nothing will ever write them again.
    private mutating func failed(_ operation: DiskError.Operation, _ errno: Errno) {
        switch operation {
        case .syncData, .sync: pendingWrites.removeAll()
        case .syncDirectory: pendingNames.removeAll()
        default: break
        }
    }

    // MARK: Names

    func directory(_ name: String, in parent: Int, _ operation: DiskError.Operation) throws(DiskError) -> Int {
        guard let node = directories[parent]?.current[name] else {
            throw DiskError(operation, name, .noSuchFileOrDirectory)
        }
        guard directories[node] != nil else { throw DiskError(operation, name, .notDirectory) }
        return node
    }

    mutating func change(_ directory: Int, remove removed: [String] = [], set: [(name: String, node: Int)] = []) {
        for name in removed { directories[directory]?.current[name] = nil }
        for (name, node) in set { directories[directory]?.current[name] = node }
        pendingNames.append(PendingName(directory: directory, removed: removed, set: set))
    }

    mutating func syncNames(of directory: Int) {
        let names = directories[directory]?.current ?? [:]
        directories[directory]?.durable = names
        pendingNames.removeAll { $0.directory == directory }
    }

    // MARK: Files

    mutating func makeFile() -> Int {
        defer { nextNode += 1 }
        files[nextNode] = FileNode()
        return nextNode
    }

    mutating func write(_ node: Int, _ bytes: [UInt8], at offset: Int) {
        files[node]?.current.overwrite(bytes, at: offset)
        pendingWrites.append(PendingWrite(node: node, offset: offset, bytes: bytes, length: nil))
    }

    mutating func setLength(_ node: Int, _ length: Int) {
        files[node]?.current.setLength(length)
        pendingWrites.append(PendingWrite(node: node, offset: 0, bytes: [], length: length))
    }

    mutating func syncContent(of node: Int) {
        for write in pendingWrites where write.node == node { files[node]?.durable.apply(write) }
        pendingWrites.removeAll { $0.node == node }
    }

    // MARK: By path, for tests

    private func node(_ path: FilePath) -> Int? {
        var node = Self.root
        for component in path.components where component.kind == .regular {
            guard let next = directories[node]?.current[component.string] else { return nil }
            node = next
        }
        return node
    }

    func contents(_ path: FilePath) -> [UInt8]? { node(path).flatMap { files[$0]?.current } }

    func names(_ path: FilePath) -> [String] { (node(path).flatMap { directories[$0]?.current.keys.sorted() }) ?? [] }

    mutating func setContents(_ path: FilePath, _ bytes: [UInt8]) {
        if let node = node(path) {
            files[node] = FileNode(durable: bytes, current: bytes)
        } else if let parent = node(path.removingLastComponent()), let name = path.lastComponent?.string {
            let node = makeFile()
            files[node] = FileNode(durable: bytes, current: bytes)
            directories[parent]?.current[name] = node
            directories[parent]?.durable[name] = node
        }
    }

    mutating func remove(_ path: FilePath) {
        guard let parent = node(path.removingLastComponent()), let name = path.lastComponent?.string else { return }
        directories[parent]?.current[name] = nil
        directories[parent]?.durable[name] = nil
    }
}

extension [UInt8] {
    /// Writes over and behind the end, as a file does.
    mutating func overwrite(_ bytes: [UInt8], at offset: Int) {
        if count < offset + bytes.count { setLength(offset + bytes.count) }
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    /// Cuts off, or adds zeros.
    mutating func setLength(_ length: Int) {
        if count > length {
            removeLast(count - length)
        } else {
            append(contentsOf: [UInt8](repeating: 0, count: length - count))
        }
    }

    /// Does a write of the simulated disk.
    mutating func apply(_ write: SimulatedDisk.PendingWrite) {
        if let length = write.length { setLength(length) } else { overwrite(write.bytes, at: write.offset) }
    }
}
