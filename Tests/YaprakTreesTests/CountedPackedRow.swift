@testable import YaprakTrees

/// A ``CountedRow`` whose key is within it.
class CountedPackedRow: TreeRow, @unchecked Sendable {
    final let value: Int
    private final let census: RowCensus?
    private final let nested: TreeRoot?

    fileprivate init(_ number: Int, _ census: RowCensus?, _ nested: TreeRoot?, keyCount: Int) {
        value = number
        self.census = census
        self.nested = nested
        super.init(packed: keyCount, behind: 40)
        census?.change(by: 1)
    }

    deinit { census?.change(by: -1) }

    override var nestedTree: TreeRoot? { nested }

    static func make(
        _ key: String, _ number: Int = 0, census: RowCensus? = nil, nested: TreeRoot? = nil
    ) -> CountedPackedRow {
        var key = key
        return key.withUTF8 {
            $0.count <= 64
                ? RoomyCountedRow($0, number, census, nested) : LongCountedRow($0, number, census, nested)
        }
    }
}

private final class RoomyCountedRow: CountedPackedRow, @unchecked Sendable {
    private var room = KeyRoom64()

    init(_ key: UnsafeBufferPointer<UInt8>, _ number: Int, _ census: RowCensus?, _ nested: TreeRoot?) {
        super.init(number, census, nested, keyCount: key.count)
        fillKey(key)
    }
}

private final class LongCountedRow: CountedPackedRow, @unchecked Sendable {
    private let room: LongKey

    init(_ key: UnsafeBufferPointer<UInt8>, _ number: Int, _ census: RowCensus?, _ nested: TreeRoot?) {
        room = LongKey(copying: key)
        super.init(number, census, nested, keyCount: LongKey.count)
    }

    deinit { room.free() }
}

/// Where the rows of a test have their keys.
enum RowForm: CaseIterable, Sendable {
    case keyed, packed
    /// By turns.
    case mixed

    func row(_ key: String, _ number: Int = 0, census: RowCensus? = nil, nested: TreeRoot? = nil) -> TreeRow {
        let isPacked =
            switch self {
            case .keyed: false
            case .packed: true
            case .mixed: (number + key.utf8.count + Int(key.utf8.last ?? 0)).isMultiple(of: 2)
            }
        return isPacked
            ? CountedPackedRow.make(key, number, census: census, nested: nested)
            : CountedRow(key, number, census: census, nested: nested)
    }
}
