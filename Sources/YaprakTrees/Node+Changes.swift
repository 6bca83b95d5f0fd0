/// What a node has that the one it was copied from has not.
///
/// A draft copies the way to what it changes. Of a copy with 32 entries, mostly one differs: who frees the copy because nobody
/// needs it has to follow that one, and looks at no other. Each would be a row or a node somewhere else in memory.
///
/// Seven bits of a node's header. All code that puts a child or a row into a node notes it: what differs and is not noted stays
/// in memory for good, and a debug build stops. Entries that moved to the node from another one make it unknown.
struct CopyChange: Equatable {
    /// 0: unknown; 1: nothing; *n* + 2: entry *n*.
    let bits: UInt8

    /// Nobody has kept track, or several entries differ.
    static var unknown: CopyChange { CopyChange(bits: 0) }
    /// At most entries are missing.
    static var nothing: CopyChange { CopyChange(bits: 1) }
    /// One entry differs; none if there are not so many.
    @inline(__always)
    static func entry(_ index: Int) -> CopyChange { CopyChange(bits: UInt8(truncatingIfNeeded: index &+ 2)) }

    /// The entry that differs.
    @inline(__always)
    var entry: Int? { bits < 2 ? nil : Int(bits) &- 2 }
}

extension Node {
    /// What differs from the node this one was copied from; unknown if it was not.
    @inline(__always)
    var change: CopyChange {
        get { CopyChange(bits: raw.load(fromByteOffset: 11, as: UInt8.self) &>> 1) }
        nonmutating set {
            let isOrdered = raw.load(fromByteOffset: 11, as: UInt8.self) & 1
            raw.storeBytes(of: newValue.bits &<< 1 | isOrdered, toByteOffset: 11, as: UInt8.self)
        }
    }

    /// Notes that there is another child or row at `i`.
    @inline(__always)
    func noteChange(at i: Int) {
        let known = change
        if known == .nothing {
            change = .entry(i)
        } else if known != .entry(i) {
            change = .unknown
        }
    }

    /// Notes that there is one more at `i`, which moved those behind it.
    @inline(__always)
    func noteInsertion(at i: Int) { change = change == .nothing ? .entry(i) : .unknown }

    /// Notes that the one at `i` is gone, and those behind it moved there.
    @inline(__always)
    func noteRemoval(at i: Int) {
        guard let entry = change.entry, entry >= i else { return }
        change = entry == i ? .nothing : .entry(entry &- 1)
    }
}
