import YaprakCore
import YaprakTrees

import struct Foundation.Date

/// A placement ordered by a value that was taken from its record once.
final class KeyedPlacement<Key: Comparable & Sendable>: Placement, @unchecked Sendable {
    let sortKey: Key

    init(_ record: RecordBox, collection: Int, group: String, touches: Touches, sortKey: Key) {
        self.sortKey = sortKey
        super.init(record, collection: collection, group: group, touches: touches)
    }

    override func copy(record: RecordBox, group: String, touches: Touches) -> Placement {
        KeyedPlacement(record, collection: collection, group: group, touches: touches, sortKey: sortKey)
    }

    override var sortKeyDescription: String? { String(reflecting: sortKey) }
}

/// The order of values of one type: how they are prepared, what of them fits into a word, how they compare.
struct SortValueKind<Key: Comparable & Sendable>: Sendable {
    /// Brings a value into the form that is kept and compared.
    let prepare: @Sendable (Key) -> Key
    /// A number that orders as the values do as far as it goes; `nil` if there is none.
    let hint: (@Sendable (Key) -> UInt64)?
    /// Whether values with the same hint are equals.
    let isHintExact: Bool
    let compare: @Sendable (Key, Key) -> Int

    init() {
        var prepare: @Sendable (Key) -> Key = { $0 }
        var compare: @Sendable (Key, Key) -> Int = { $0 < $1 ? -1 : $1 < $0 ? 1 : 0 }
        isHintExact =
            Key.self is any FixedWidthInteger.Type || Key.self == Double.self || Key.self == Float.self
            || Key.self == Date.self
        switch Key.self {
        case is Int.Type: hint = Self.signed { UInt64(bitPattern: Int64(unsafeBitCast($0, to: Int.self))) }
        case is Int64.Type: hint = Self.signed { UInt64(bitPattern: unsafeBitCast($0, to: Int64.self)) }
        case is Int32.Type: hint = Self.signed { UInt64(bitPattern: Int64(unsafeBitCast($0, to: Int32.self))) }
        case is Int16.Type: hint = Self.signed { UInt64(bitPattern: Int64(unsafeBitCast($0, to: Int16.self))) }
        case is Int8.Type: hint = Self.signed { UInt64(bitPattern: Int64(unsafeBitCast($0, to: Int8.self))) }
        case is UInt.Type: hint = { UInt64(unsafeBitCast($0, to: UInt.self)) }
        case is UInt64.Type: hint = { unsafeBitCast($0, to: UInt64.self) }
        case is UInt32.Type: hint = { UInt64(unsafeBitCast($0, to: UInt32.self)) }
        case is UInt16.Type: hint = { UInt64(unsafeBitCast($0, to: UInt16.self)) }
        case is UInt8.Type: hint = { UInt64(unsafeBitCast($0, to: UInt8.self)) }
        case is Double.Type: hint = { totalOrder(unsafeBitCast($0, to: Double.self)) }
        case is Float.Type: hint = { totalOrder(Double(unsafeBitCast($0, to: Float.self))) }
        case is Date.Type:
            hint = { totalOrder(unsafeBitCast($0, to: Date.self).timeIntervalSinceReferenceDate) }
        case is String.Type:
            prepare = { unsafeBitCast(unsafeBitCast($0, to: String.self).normalizedKey, to: Key.self) }
            hint = { firstBytes(unsafeBitCast($0, to: String.self)) }
            compare = { compareBytes(unsafeBitCast($0, to: String.self), unsafeBitCast($1, to: String.self)) }
        default: hint = nil
        }
        if isHintExact, let hint {
            compare = { a, b in
                let (x, y) = (hint(a), hint(b))
                return x == y ? 0 : x < y ? -1 : 1
            }
        }
        self.prepare = prepare
        self.compare = compare
    }

    private static func signed(_ bits: @escaping @Sendable (Key) -> UInt64) -> @Sendable (Key) -> UInt64 {
        { bits($0) ^ 1 << 63 }
    }
}

/// A number's place in an order that has a place for all of them: −∞ … −0 = 0 … ∞, then what is not a number.
private func totalOrder(_ value: Double) -> UInt64 {
    if value.isNaN { return .max }
    if value == 0 { return 1 << 63 }
    let bits = value.bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
}

/// The first eight bytes as a number, zeros for what is not there.
private func firstBytes(_ string: String) -> UInt64 {
    string.utf8.withContiguousStorageIfAvailable { bytes in
        var word: UInt64 = 0
        let n = min(8, bytes.count)
        for i in 0..<n { word = word << 8 | UInt64(bytes[i]) }
        return n == 0 ? 0 : word << UInt64(8 * (8 - n))
    } ?? 0
}

private func compareBytes(_ a: String, _ b: String) -> Int {
    let order = a.utf8.withContiguousStorageIfAvailable { a in
        b.utf8.withContiguousStorageIfAvailable { b in
            let n = min(a.count, b.count)
            for i in 0..<n where a[i] != b[i] { return a[i] < b[i] ? -1 : 1 }
            return a.count < b.count ? -1 : a.count > b.count ? 1 : 0
        }
    }
    return order.flatMap { $0 } ?? (a < b ? -1 : b < a ? 1 : 0)
}

/// The order of ``KeyedPlacement``s.
final class KeyedOrder<Key: Comparable & Sendable>: PlacementOrder, @unchecked Sendable {
    private let kind: SortValueKind<Key>

    init(_ kind: SortValueKind<Key>, isDescending: Bool) {
        self.kind = kind
        super.init(isDescending: isDescending)
    }

    override func compareSortKeys(_ a: Placement, _ b: Placement) -> Int {
        kind.compare(
            unsafeDowncast(a, to: KeyedPlacement<Key>.self).sortKey,
            unsafeDowncast(b, to: KeyedPlacement<Key>.self).sortKey)
    }

    override func hint(of placement: Placement) -> UInt64 {
        kind.hint.map { $0(unsafeDowncast(placement, to: KeyedPlacement<Key>.self).sortKey) } ?? 0
    }
}

/// The order of placements whose records a closure compares.
final class ComparingOrder: PlacementOrder, @unchecked Sendable {
    private let isAscending: @Sendable (RecordBox, RecordBox) -> Bool

    init(_ isAscending: @escaping @Sendable (RecordBox, RecordBox) -> Bool, isDescending: Bool) {
        self.isAscending = isAscending
        super.init(isDescending: isDescending)
    }

    override func compareSortKeys(_ a: Placement, _ b: Placement) -> Int {
        isAscending(a.record, b.record) ? -1 : isAscending(b.record, a.record) ? 1 : 0
    }
}

/// The order of record keys, whatever the collection.
final class KeyOrder: PlacementOrder, @unchecked Sendable {
    override func compareSortKeys(_ a: Placement, _ b: Placement) -> Int {
        compareBytes(a.key, b.key)
    }

    override func hint(of placement: Placement) -> UInt64 { firstBytes(placement.key) }
}
