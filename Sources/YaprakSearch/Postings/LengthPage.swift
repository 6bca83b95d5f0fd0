import YaprakTrees

/// The lengths of 512 documents by their numbers, in terms; of a number that is free, the next free one.
final class LengthPage: KeyedRow, @unchecked Sendable {
    // Changed before it is shared only; that is the whole of the @unchecked.
    let values: UnsafeMutablePointer<UInt32>

    static let count = 512
    /// Marks a number that is free. The other bits are the next free one plus 1, or 0.
    static let freeBit: UInt32 = 1 << 31

    init(_ index: Int, like old: LengthPage?) {
        values = .allocate(capacity: Self.count)
        if let old {
            values.update(from: old.values, count: Self.count)
        } else {
            values.initialize(repeating: Self.freeBit, count: Self.count)
        }
        super.init(key: BlockKey.string(index))
    }

    deinit { values.deallocate() }
}
