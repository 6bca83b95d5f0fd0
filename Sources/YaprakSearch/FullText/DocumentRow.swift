import YaprakTrees

/// A record that is indexed, under its key: its number.
///
/// A number is kept as long as the record is there, so that an update of its text touches only the terms that differ.
final class DocumentRow: KeyedRow, @unchecked Sendable {
    // Written once; that is the whole of the @unchecked.
    let number: UInt32

    init(key: String, number: UInt32) {
        self.number = number
        super.init(key: key)
    }
}

/// The rows of 128 documents by their numbers.
final class DocumentBlock: KeyedRow, @unchecked Sendable {
    // Changed before it is shared only; that is the whole of the @unchecked. So it goes without the runtime's exclusivity checks.
    @exclusivity(unchecked)
    var rows: ContiguousArray<DocumentRow?>

    static let count = 128

    init(_ index: Int, like old: DocumentBlock?) {
        rows = old?.rows ?? ContiguousArray(repeating: nil, count: Self.count)
        super.init(key: BlockKey.string(index))
    }
}
