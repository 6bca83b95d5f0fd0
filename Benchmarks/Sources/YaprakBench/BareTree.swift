import Synchronization

/// The least that a commit of one record can do, for a lower bound of P3: a B-tree of the same fan-out whose way to the leaf is
/// copied explicitly, the old way freed at once, and the new root published under a lock, with the record before and after.
///
/// No change is noted for anybody, no reader is counted, no limit checked, nobody waits in line, nothing is decided by a closure.
final class BareTree: @unchecked Sendable {
    /// What a reader would retain.
    private final class State: Sendable {
        nonisolated(unsafe) let root: BareNode
        let before: Boxed?
        let after: Boxed?

        init(_ root: BareNode, before: Boxed?, after: Boxed?) {
            (self.root, self.before, self.after) = (root, before, after)
        }
    }

    private let published: Mutex<State>
    private var root: BareNode
    private let path = UnsafeMutablePointer<(node: BareNode, index: Int)>.allocate(capacity: 16)
    /// Whose nodes these are, but for those that the update made, and its record.
    private let other: BareTree?
    private var made: (depth: Int, row: Unmanaged<Boxed>)?

    /// Keys in any order, of which few share their first eight bytes. Nodes are as full as if they had come one by one.
    init(_ rows: [Boxed]) {
        let fill = BareNode.fanOut * 11 / 16
        var level = rows.sorted { $0.key < $1.key }.map {
            (word: BareNode.word($0.key), link: UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()))
        }
        var isLeaf = true
        repeat {
            level = stride(from: 0, to: level.count, by: fill).map { start in
                let node = BareNode(isLeaf: isLeaf)
                for entry in level[start..<min(start + fill, level.count)] { node.append(entry.word, entry.link) }
                return (node.words[0], UInt(bitPattern: node.raw))
            }
            isLeaf = false
        } while level.count > 1
        root = BareNode(level[0].link)
        other = nil
        published = Mutex(State(root, before: nil, after: nil))
    }

    /// The same rows in a tree of their own, which ends before `other` does and is updated once at most.
    init(of other: BareTree) {
        self.other = other
        root = other.root
        published = Mutex(State(root, before: nil, after: nil))
    }

    deinit {
        if other == nil {
            root.freeAll()
        } else if let made {
            for level in 0...made.depth { path[level].node.raw.deallocate() }
            made.row.release()
        }
        path.deallocate()
    }

    /// Goes down to a record that is there.
    @inline(__always)
    private func descend(to key: String) -> Int {
        let word = BareNode.word(key)
        var node = root, depth = 0
        while true {
            let index = node.index(of: word)
            path[depth] = (node, index)
            if node.isLeaf { break }
            node = BareNode(node.links[index])
            depth += 1
        }
        // Words may be alike: the key decides.
        var index = path[depth].index
        while Unmanaged<Boxed>.fromOpaque(node.pointer(index))._withUnsafeGuaranteedRef({ $0.key != key }) {
            index -= 1
        }
        path[depth].index = index
        return depth
    }

    /// A record that is there, as a reader who has the newest state finds it.
    func row(_ key: String) -> Boxed {
        let state = published.withLock { $0 }
        let word = BareNode.word(key)
        var node = state.root
        while !node.isLeaf { node = BareNode(node.links[node.index(of: word)]) }
        var index = node.index(of: word)
        while true {
            let row = Unmanaged<Boxed>.fromOpaque(node.pointer(index)).takeUnretainedValue()
            if row.key == key { return row }
            index -= 1
        }
    }

    /// Replaces a record that is there.
    func update(_ key: String, _ item: Item) {
        let depth = descend(to: key)
        if other != nil { return updateOnce(key, item, depth) }
        let (node, index) = path[depth]
        let before = Unmanaged<Boxed>.fromOpaque(node.pointer(index)).takeRetainedValue()
        let after = Boxed(key: key, item: item)
        var link = UInt(bitPattern: Unmanaged.passRetained(after).toOpaque())
        for level in stride(from: depth, through: 0, by: -1) {
            let copy = BareNode(copying: path[level].node)
            copy.links[path[level].index] = link
            link = UInt(bitPattern: copy.raw)
            path[level].node.raw.deallocate()
        }
        root = BareNode(link)
        publish(State(root, before: before, after: after))
    }

    /// Copies the way to the leaf and frees none of it: it is another tree's.
    private func updateOnce(_ key: String, _ item: Item, _ depth: Int) {
        let before = Unmanaged<Boxed>.fromOpaque(path[depth].node.pointer(path[depth].index)).takeUnretainedValue()
        let after = Boxed(key: key, item: item)
        let row = Unmanaged.passRetained(after)
        made = (depth, row)
        var link = UInt(bitPattern: row.toOpaque())
        for level in stride(from: depth, through: 0, by: -1) {
            let copy = BareNode(copying: path[level].node)
            copy.links[path[level].index] = link
            link = UInt(bitPattern: copy.raw)
            path[level].node = copy
        }
        root = BareNode(link)
        publish(State(root, before: before, after: after))
    }

    private func publish(_ state: State) {
        let old = published.withLock { published in
            defer { published = state }
            return published
        }
        withExtendedLifetime(old) {}
    }
}

/// A count, as many words of keys, and as many links to children or rows.
private struct BareNode {
    static let fanOut = 32
    private static let bytes = 16 + fanOut * 16

    let raw: UnsafeMutableRawPointer

    init(_ link: UInt) { raw = UnsafeMutableRawPointer(bitPattern: link)! }

    init(isLeaf: Bool) {
        raw = .allocate(byteCount: Self.bytes, alignment: 8)
        raw.storeBytes(of: 0, as: Int.self)
        raw.storeBytes(of: isLeaf ? 1 : 0, toByteOffset: 8, as: Int.self)
    }

    init(copying other: BareNode) {
        raw = .allocate(byteCount: Self.bytes, alignment: 8)
        let count = other.count
        raw.copyMemory(from: other.raw, byteCount: 16 + count * 8)
        UnsafeMutableRawPointer(links).copyMemory(from: other.links, byteCount: count * 8)
    }

    var count: Int { raw.load(as: Int.self) }
    var isLeaf: Bool { raw.load(fromByteOffset: 8, as: Int.self) != 0 }
    var words: UnsafeMutablePointer<UInt64> { (raw + 16).assumingMemoryBound(to: UInt64.self) }
    var links: UnsafeMutablePointer<UInt> { (raw + 16 + Self.fanOut * 8).assumingMemoryBound(to: UInt.self) }
    func pointer(_ index: Int) -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: links[index])! }

    func append(_ word: UInt64, _ link: UInt) {
        let count = count
        words[count] = word
        links[count] = link
        raw.storeBytes(of: count + 1, as: Int.self)
    }

    /// The last entry whose word is not greater, or the first.
    @inline(__always)
    func index(of word: UInt64) -> Int {
        var low = 0, length = count
        while length > 1 {
            let half = length / 2
            if words[low + half] <= word { low += half }
            length -= half
        }
        return low
    }

    /// The first eight bytes of a key, ordered as the key is.
    @inline(__always)
    static func word(_ key: String) -> UInt64 {
        var key = key
        return key.withUTF8 { bytes in
            UInt64(bigEndian: UnsafeRawPointer(bytes.baseAddress!).loadUnaligned(as: UInt64.self))
        }
    }

    func freeAll() {
        for index in 0..<count {
            if isLeaf {
                Unmanaged<Boxed>.fromOpaque(pointer(index)).release()
            } else {
                BareNode(links[index]).freeAll()
            }
        }
        raw.deallocate()
    }
}

/// An actor with such a tree: what it costs to get there and back.
actor BareWriter {
    private let tree: BareTree

    init(_ rows: [Boxed]) { tree = BareTree(rows) }

    /// An actor with a state of its own, which ends before `other` does and is updated once at most.
    init(of other: BareWriter) { tree = BareTree(of: other.tree) }

    func update(_ key: String, _ item: Item) { tree.update(key, item) }

    /// A record of the newest state.
    nonisolated func row(_ key: String) -> Boxed { tree.row(key) }
}
