import YaprakLocks

/// One data item of any type as a value. Programs without the app's types see records like this.
///
///     let value = try CBORValue(decoding: bytes)
///     print(value["title"]?.text ?? "?", value)           // Dune {"title": "Dune", "salesRank": 3}
///
/// Equality is that of the items: the order of the pairs in a map counts (it is always the same in deterministic bytes),
/// 0.0 differs from -0.0, an integer differs from a float, and NaN equals NaN.
public enum CBORValue: Sendable {
    /// A pair of a map.
    public struct Pair: Hashable, Sendable {
        /// The key.
        public var key: CBORValue
        /// The value.
        public var value: CBORValue
        /// A pair.
        public init(_ key: CBORValue, _ value: CBORValue) {
            self.key = key
            self.value = value
        }
    }

    /// An unsigned integer.
    case unsigned(UInt64)
    /// The negative integer -1 - *n*; see ``integer(_:)``.
    case negative(UInt64)
    /// A byte string.
    case bytes([UInt8])
    /// A text string.
    case text(String)
    /// An array.
    case array([CBORValue])
    /// A map, its pairs in the order of the bytes.
    case map([Pair])
    /// A tag and its content.
    indirect case tag(UInt64, CBORValue)
    /// A Boolean.
    case bool(Bool)
    /// Null.
    case null
    /// Undefined.
    case undefined
    /// A float of any width.
    case float(Double)
    /// Another simple value, 0...19 or 32...255.
    case simple(UInt8)

    /// An integer, as an unsigned or a negative one. O(1).
    public static func integer(_ value: Int64) -> CBORValue {
        value >= 0 ? .unsigned(UInt64(value)) : .negative(UInt64(~value))
    }
}

extension CBORValue {
    /// A large integer: a bignum beyond 64 bits (RFC 8949 §3.4.3), in as few bytes as it has.
    package static func integer(magnitude: UInt128) -> CBORValue {
        UInt64(exactly: magnitude).map { .unsigned($0) } ?? .tag(2, .bytes(significantBytes(magnitude)))
    }

    /// The negative integer -1 - *n*, likewise.
    package static func integer(complement n: UInt128) -> CBORValue {
        UInt64(exactly: n).map { .negative($0) } ?? .tag(3, .bytes(significantBytes(n)))
    }

    private static func significantBytes(_ number: UInt128) -> [UInt8] {
        let count = (UInt128.bitWidth - number.leadingZeroBitCount + 7) / 8
        return (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt128(8 * $0)) }
    }
}

extension CBORValue: Hashable {
    /// Whether two items are equal; see the type. O(size).
    public static func == (a: CBORValue, b: CBORValue) -> Bool {
        var descent = Descent(isOnDeepStack: false)
        let answer = isSame(a, b, 0, &descent)
        if !descent.isCutShort { return answer }
        return DeepStack.run {
            var descent = Descent(isOnDeepStack: true)
            return isSame(a, b, 0, &descent)
        }
    }

    /// Where a recursion is, and whether it has ended because it needs a stack of its own.
    private struct Descent {
        let isOnDeepStack: Bool
        var isCutShort = false
    }

    private static func isSame(_ a: CBORValue, _ b: CBORValue, _ level: Int, _ descent: inout Descent) -> Bool {
        switch (a, b) {
        case (.unsigned(let a), .unsigned(let b)), (.negative(let a), .negative(let b)): return a == b
        case (.bytes(let a), .bytes(let b)): return a == b
        case (.text(let a), .text(let b)): return a.utf8.elementsEqual(b.utf8)
        case (.bool(let a), .bool(let b)): return a == b
        case (.null, .null), (.undefined, .undefined): return true
        case (.float(let a), .float(let b)): return a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
        case (.simple(let a), .simple(let b)): return a == b
        case (.array, .array), (.map, .map), (.tag, .tag): break
        default: return false
        }
        if level == DeepStack.levelsBefore, !descent.isOnDeepStack {
            descent.isCutShort = true
            return false
        }
        switch (a, b) {
        case (.array(let a), .array(let b)):
            if isShared(a, b) { return true }
            guard a.count == b.count else { return false }
            for index in a.indices where !isSame(a[index], b[index], level + 1, &descent) { return false }
            return true
        case (.map(let a), .map(let b)):
            if isShared(a, b) { return true }
            guard a.count == b.count else { return false }
            for index in a.indices {
                guard isSame(a[index].key, b[index].key, level + 1, &descent),
                    isSame(a[index].value, b[index].value, level + 1, &descent)
                else { return false }
            }
            return true
        case (.tag(let a, let x), .tag(let b, let y)): return a == b && isSame(x, y, level + 1, &descent)
        default: return false
        }
    }

    /// Whether both are one array in memory, so that nothing in it needs comparing.
    private static func isShared<Element>(_ a: [Element], _ b: [Element]) -> Bool {
        a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { a.baseAddress == $0.baseAddress && a.count == $0.count }
        }
    }

    /// Hashes what equality compares. O(size).
    public func hash(into hasher: inout Hasher) { DeepStack.run(if: isDeep) { hashItem(into: &hasher) } }

    /// Whether recursions over it need a ``DeepStack``. O(size).
    package var isDeep: Bool { isDeeper(than: DeepStack.levelsBefore) }

    private func isDeeper(than levels: Int) -> Bool {
        switch self {
        case .array(let items): levels == 0 || items.contains { $0.isDeeper(than: levels - 1) }
        case .map(let pairs):
            levels == 0
                || pairs.contains { $0.key.isDeeper(than: levels - 1) || $0.value.isDeeper(than: levels - 1) }
        case .tag(_, let item): levels == 0 || item.isDeeper(than: levels - 1)
        default: false
        }
    }

    private func hashItem(into hasher: inout Hasher) {
        switch self {
        case .unsigned(let value): hasher.combine(0); hasher.combine(value)
        case .negative(let value): hasher.combine(1); hasher.combine(value)
        case .bytes(let value): hasher.combine(2); hasher.combine(value)
        case .text(let value): hasher.combine(3); hasher.combine(value)
        case .array(let items):
            hasher.combine(4); hasher.combine(items.count)
            for item in items { item.hashItem(into: &hasher) }
        case .map(let pairs):
            hasher.combine(5); hasher.combine(pairs.count)
            for pair in pairs { pair.key.hashItem(into: &hasher); pair.value.hashItem(into: &hasher) }
        case .tag(let tag, let item): hasher.combine(6); hasher.combine(tag); item.hashItem(into: &hasher)
        case .bool(let value): hasher.combine(7); hasher.combine(value)
        case .null: hasher.combine(8)
        case .undefined: hasher.combine(9)
        case .float(let value): hasher.combine(10); hasher.combine(value.isNaN ? 0 : value.bitPattern)
        case .simple(let value): hasher.combine(11); hasher.combine(value)
        }
    }
}

extension CBORValue {
    /// The value under a text key of a map, or nil. If a map has the key twice, the first value. O(pairs).
    ///
    /// Setting it replaces or adds the pair, and a value that is not a map becomes one. Setting nil removes the pair; where there
    /// is none, it changes nothing, as a chain such as `value["place"]?["town"] = name` that finds nothing.
    ///
    ///     value["rank"] = value["salesRank"]
    public subscript(key: String) -> CBORValue? {
        get {
            guard case .map(let pairs) = self else { return nil }
            return pairs.first { $0.key == .text(key) }?.value
        }
        set {
            var pairs = map ?? []
            if let index = pairs.firstIndex(where: { $0.key == .text(key) }) {
                if let newValue { pairs[index].value = newValue } else { pairs.remove(at: index) }
            } else if let newValue {
                pairs.append(Pair(.text(key), newValue))
            } else {
                return
            }
            self = .map(pairs)
        }
    }

    /// The item of an array, or nil. O(1).
    public subscript(index: Int) -> CBORValue? {
        guard case .array(let items) = self, items.indices.contains(index) else { return nil }
        return items[index]
    }

    /// The text, if it is one.
    public var text: String? { if case .text(let value) = self { value } else { nil } }
    /// The bytes, if it is a byte string.
    public var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    /// The integer, if it is one and fits.
    public var integer: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map { ~$0 }
        default: nil
        }
    }
    /// The number, if it is one and a double holds it exactly.
    public var double: Double? {
        switch self {
        case .unsigned(let value): Double(exactly: value)
        case .negative(let value): Double(exactly: -1 - Int128(value))
        case .float(let value): value
        default: nil
        }
    }
    /// The Boolean, if it is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The items, if it is an array.
    public var array: [CBORValue]? { if case .array(let value) = self { value } else { nil } }
    /// The pairs, if it is a map.
    public var map: [Pair]? { if case .map(let value) = self { value } else { nil } }
    /// True for null and undefined.
    public var isNull: Bool { self == .null || self == .undefined }
}

extension CBORValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A text string.
    public init(stringLiteral value: String) { self = .text(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A float.
    public init(floatLiteral value: Double) { self = .float(value) }
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Null.
    public init(nilLiteral: ()) { self = .null }
    /// An array.
    public init(arrayLiteral elements: CBORValue...) { self = .array(elements) }
    /// A map, its pairs in the order they are written in.
    public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
        self = .map(elements.map { Pair($0.0, $0.1) })
    }
}
