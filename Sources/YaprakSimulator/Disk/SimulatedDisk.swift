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
        let effect: MemoryFileSystem.FaultEffect
        let forever: Bool
        var isSpent: Bool { countdown <= 0 }
    }

    /// How a call goes on that was allowed to begin.
    struct Course {
        /// A write writes half, or a sync does nothing and says it did.
        var isReduced = false
        /// What the call reports although it was done.
        var errorAfter: Errno?
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
    /// How many bytes all files together may have.
    var capacity: Int?
    /// Whether a rename is a hard link and a removal, with a moment in between.
    var renamesInTwoSteps = false
    /// How many calls of a kind a fault let fail, or the lack of space.
    var failures: [DiskError.Operation: Int] = [:]
    /// How many syncs did nothing and said they did.
    var lies = 0
    /// A digest of every call with its name and bytes, in order.
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Counts a call and lets it fail if it is planned to.
    @discardableResult
    mutating func begin(
        _ operation: DiskError.Operation, _ name: String, of node: Int? = nil, changes isChange: Bool
    ) throws(DiskError) -> Course {
        calls[operation, default: 0] += 1
        note(operation.rawValue.utf8)
        note(name.utf8)
        if isCut { throw DiskError(operation, name, .ioError) }
        if isChange, let cutAfter, changes >= cutAfter {
            isCut = true
            throw DiskError(operation, name, .ioError)
        }
        var course = Course()
        var failure: Errno?
        // Each counts the call, whatever the others do.
        for i in faults.indices where faults[i].operation == nil || faults[i].operation == operation {
            guard faults[i].countdown > 0 || faults[i].forever else { continue }
            faults[i].countdown -= 1
            guard faults[i].countdown <= 0 else { continue }
            switch faults[i].effect {
            case .error(let errno): failure = failure ?? errno
            case .errorAfter(let errno): course.errorAfter = errno
            case .short where operation == .write: course.isReduced = true
            case .lie where [.sync, .syncData, .syncDirectory].contains(operation):
                course.isReduced = true
            case .short, .lie: break
            }
        }
        if let failure {
            failed(operation, node)
            throw DiskError(operation, name, failure)
        }
        if course.isReduced, operation != .write { lies += 1 }
        if isChange { changes += 1 }
        return course
    }

    /// Adds bytes to the digest (FNV-1a).
    mutating func note(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// How many bytes a file may grow by.
    func room() -> Int {
        guard let capacity else { return .max }
        let named = Set(directories.values.flatMap(\.current.values))
        return max(0, capacity - named.reduce(0) { $0 + (files[$1]?.current.count ?? 0) })
    }

    /// What was to be synced is not durable, and no power cut leaves any of it.
    ///
    /// Bytes of a file are lost for good: the system marks their pages clean without having written them, and nothing will write
    /// them again. Names become durable with the next sync of their directory that succeeds. A file system that journals them
    /// either does the failed transaction again, or takes no change any more until it is mounted again: then no sync succeeds.
    /// One without a journal writes a block of names as a whole with the next change in it.
    mutating func failed(_ operation: DiskError.Operation, _ node: Int?) {
        failures[operation, default: 0] += 1
        switch operation {
        case .syncData, .sync: pendingWrites.removeAll { $0.node == node }
        case .syncDirectory: pendingNames.removeAll { $0.directory == node }
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

    /// Whether nothing is in it: true of a file.
    func isEmpty(_ node: Int) -> Bool { directories[node]?.current.isEmpty ?? true }

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
            // What was written before and not synced does not come over it after a power cut.
            pendingWrites.removeAll { $0.node == node }
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
