package import YaprakCBOR
import YaprakLocks

// How expressions see values. Integers and floats are one kind, and are compared exactly.

/// A number of either kind; integers of CBOR have 65 bits with their sign.
enum ExpressionNumber {
    case integer(Int128)
    case float(Double)

    var double: Double {
        switch self {
        case .integer(let value): Double(value)
        case .float(let value): value
        }
    }
}

extension CBORValue {
    /// -1, 0 or 1 in an order of all values: null, then truth values, numbers, texts, bytes, and everything else by how it is
    /// written. Values of one kind are in the order of expressions; NaN comes before other numbers.
    package func sortOrder(to other: CBORValue) -> Int {
        let (a, b) = (untagged, other.untagged)
        if a.sortRank != b.sortRank { return a.sortRank < b.sortRank ? -1 : 1 }
        if let order = a.order(to: b) { return order }
        if case .float(let x) = a, x.isNaN { if case .float(let y) = b, y.isNaN { return 0 } else { return -1 } }
        if case .float(let y) = b, y.isNaN { return 1 }
        let (left, right) = (a.description, b.description)
        return left == right ? 0 : left < right ? -1 : 1
    }

    private var sortRank: Int {
        switch kindName {
        case "null": 0
        case "bool": 1
        case "integer", "float": 2
        case "text": 3
        case "bytes": 4
        default: 5
        }
    }

    /// What the tags around a value are around.
    var untagged: CBORValue {
        var value = self
        while case .tag(_, let inner) = value { value = inner }
        return value
    }

    /// The number, if it is one.
    var number: ExpressionNumber? {
        switch self {
        case .unsigned(let value): .integer(Int128(value))
        case .negative(let value): .integer(-1 - Int128(value))
        case .float(let value): .float(value)
        default: nil
        }
    }

    /// The number as a value: an integer as far as CBOR has it, else a float.
    init(_ number: ExpressionNumber) {
        switch number {
        case .float(let value): self = .float(value)
        case .integer(let value):
            if let unsigned = UInt64(exactly: value) {
                self = .unsigned(unsigned)
            } else if let negative = UInt64(exactly: -1 - value) {
                self = .negative(negative)
            } else {
                self = .float(Double(value))
            }
        }
    }

    /// The number with its sign turned; `nil` for what is none.
    var negated: CBORValue? {
        switch untagged.number {
        case .integer(let value)?: CBORValue(.integer(-value))
        case .float(let value)?: .float(-value)
        case nil: nil
        }
    }

    /// What kind of value it is, in a word.
    var kindName: String {
        switch untagged {
        case .unsigned, .negative: "integer"
        case .float: "float"
        case .text: "text"
        case .bytes: "bytes"
        case .array: "array"
        case .map: "map"
        case .bool: "bool"
        case .null, .undefined: "null"
        case .simple, .tag: "simple"
        }
    }

    /// Negative, zero or positive for two numbers, texts or byte strings; `nil` for what has no order.
    func order(to other: CBORValue) -> Int? {
        switch (untagged, other.untagged) {
        case (.text(let a), .text(let b)): Self.order(a.utf8, b.utf8)
        case (.bytes(let a), .bytes(let b)): Self.order(a, b)
        case (let a, let b):
            if let a = a.number, let b = b.number { Self.order(a, b) } else { nil }
        }
    }

    /// Whether expressions call two values equal. NaN equals nothing. O(size).
    func isSame(as other: CBORValue) -> Bool {
        DeepStack.run(if: isDeep && other.isDeep) { isSameItem(as: other) }
    }

    private func isSameItem(as other: CBORValue) -> Bool {
        switch (untagged, other.untagged) {
        case (.array(let a), .array(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.isSameItem(as: $1) }
        case (.map(let a), .map(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.key == $1.key && $0.value.isSameItem(as: $1.value) }
        case (let a, let b):
            if a.number != nil || b.number != nil { a.order(to: b) == 0 } else { a == b || (a.isNull && b.isNull) }
        }
    }

    /// The item of an array at a place, or what a map has under a key. An integer and a float that is the same number are one
    /// place, and one key.
    func part(under key: CBORValue) -> CBORValue? {
        switch self {
        case .array(let items):
            guard case .unsigned(let place) = key.normalized, place < UInt64(items.count) else { return nil }
            return items[Int(place)]
        case .map(let pairs): return pairs.first { $0.key.isSame(as: key) }?.value
        default: return nil
        }
    }

    /// A value of its own for all that expressions call the same, and one for all that are no number: without tags, with null
    /// for undefined, and an integer for a float that is whole. The keys of maps stay as they are. O(size).
    var normalized: CBORValue { DeepStack.run(if: isDeep) { normalizedItem } }

    private var normalizedItem: CBORValue {
        switch untagged {
        case .undefined: .null
        case .float(let value): Self.normalized(value)
        case .array(let items): .array(items.map(\.normalizedItem))
        case .map(let pairs): .map(pairs.map { Pair($0.key, $0.value.normalizedItem) })
        case let value: value
        }
    }

    private static func normalized(_ value: Double) -> CBORValue {
        if value.isNaN { return .float(.nan) }
        // Beyond any integer of CBOR; also the infinities.
        guard value.magnitude < 0x1p65, let whole = Int128(exactly: value) else { return .float(value) }
        return CBORValue(.integer(whole))
    }

    private static func order(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Int {
        var rest = b.makeIterator()
        for byte in a {
            guard let other = rest.next() else { return 1 }
            if byte != other { return byte < other ? -1 : 1 }
        }
        return rest.next() == nil ? 0 : -1
    }

    private static func order(_ a: ExpressionNumber, _ b: ExpressionNumber) -> Int? {
        switch (a, b) {
        case (.integer(let a), .integer(let b)): a == b ? 0 : a < b ? -1 : 1
        case (.float(let a), .float(let b)): a == b ? 0 : a < b ? -1 : a > b ? 1 : nil
        case (.integer(let a), .float(let b)): order(a, b)
        case (.float(let a), .integer(let b)): order(b, a).map { -$0 }
        }
    }

    private static func order(_ a: Int128, _ b: Double) -> Int? {
        if b.isNaN { return nil }
        // Beyond any integer of CBOR; also the infinities.
        if b.magnitude >= 0x1p70 { return b > 0 ? -1 : 1 }
        let whole = b.rounded(.down)
        let other = Int128(whole)
        if a != other { return a < other ? -1 : 1 }
        return b > whole ? -1 : 0
    }
}

extension ExpressionNode.Comparison {
    /// Whether two values compare like this. Values of different kinds are not equal and have no order.
    func holds(_ a: CBORValue, _ b: CBORValue) -> Bool {
        switch self {
        case .equal: a.isSame(as: b)
        case .notEqual: !a.isSame(as: b)
        case .less: a.order(to: b).map { $0 < 0 } ?? false
        case .atMost: a.order(to: b).map { $0 <= 0 } ?? false
        case .greater: a.order(to: b).map { $0 > 0 } ?? false
        case .atLeast: a.order(to: b).map { $0 >= 0 } ?? false
        }
    }
}

extension ExpressionNode.Arithmetic {
    /// A sum of texts is no longer than this.
    private static let textBytesMax = 1 << 20

    /// The result; `nil` if there is none: one is no number, or the divisor is zero.
    func apply(_ a: CBORValue?, _ b: CBORValue?) -> CBORValue? {
        guard let a = a?.untagged, let b = b?.untagged else { return nil }
        if self == .plus, case .text(let a) = a, case .text(let b) = b {
            return a.utf8.count + b.utf8.count <= Self.textBytesMax ? .text(a + b) : nil
        }
        guard let x = a.number, let y = b.number else { return nil }
        if case .integer(let x) = x, case .integer(let y) = y, self != .by {
            guard let exact = integer(x, y) else { return nil }
            if !exact.overflow { return CBORValue(.integer(exact.partialValue)) }
        }
        return float(x.double, y.double).map { .float($0) }
    }

    private func integer(_ a: Int128, _ b: Int128) -> (partialValue: Int128, overflow: Bool)? {
        switch self {
        case .plus: a.addingReportingOverflow(b)
        case .minus: a.subtractingReportingOverflow(b)
        case .times: a.multipliedReportingOverflow(by: b)
        case .by, .modulo: b == 0 ? nil : a.remainderReportingOverflow(dividingBy: b)
        }
    }

    private func float(_ a: Double, _ b: Double) -> Double? {
        switch self {
        case .plus: a + b
        case .minus: a - b
        case .times: a * b
        case .by: b == 0 ? nil : a / b
        case .modulo: b == 0 ? nil : a.truncatingRemainder(dividingBy: b)
        }
    }
}
