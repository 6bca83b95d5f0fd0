import YaprakLocks

extension CBORValue {
    /// The value of the one item that `bytes` hold.
    ///
    /// Indefinite lengths are joined, and pairs stay in their order. Duplicate keys are kept.
    /// - Throws: `CBORError` if the bytes are not well-formed, text is not UTF-8, or bytes follow the item.
    /// - Complexity: O(bytes). Memory is bounded by a fixed multiple of the bytes.
    public init(decoding bytes: [UInt8]) throws(CBORError) {
        self = try withRaw(bytes) { (raw) throws(CBORError) in try CBORValue(decoding: raw) }
    }

    /// The value of the one item that `bytes` hold. Throws and costs as the one above.
    public init(decoding bytes: ArraySlice<UInt8>) throws(CBORError) {
        self = try withRaw(bytes) { (raw) throws(CBORError) in try CBORValue(decoding: raw) }
    }

    /// The value of the one item that `bytes` hold. Throws and costs as the one above.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        self = try CBORValue(&reader)
        guard reader.isAtEnd else {
            throw CBORError(.trailingBytes, "bytes follow the item", offset: reader.position)
        }
    }

    /// The value of the next item.
    package init(_ reader: inout CBORReader) throws(CBORError) {
        // Nothing is built before the whole item is known to be well-formed.
        let isDeep = try CBORItem.measure(reader.bytes, from: reader.position).isDeep
        self = try DeepStack.run(if: isDeep) { () throws(CBORError) in try CBORValue.pull(&reader) }
    }

    /// The next item.
    private static func pull(_ reader: inout CBORReader) throws(CBORError) -> CBORValue {
        let start = reader.position
        switch try reader.peek() {
        case .unsigned: return .unsigned(try reader.readUnsigned())
        case .negative:
            let head = try Head(reader.bytes, at: start)
            try reader.skip()
            return .negative(head.argument)
        case .bytes: return .bytes(try reader.readBytes())
        case .text: return .text(try reader.readText())
        case .array:
            var items: [CBORValue] = []
            if let count = try reader.readArrayHead() {
                items.reserveCapacity(count)
                for _ in 0..<count { items.append(try pull(&reader)) }
            } else {
                while try !reader.readStop() { items.append(try pull(&reader)) }
            }
            return .array(items)
        case .map:
            var pairs: [Pair] = []
            if let count = try reader.readMapHead() {
                pairs.reserveCapacity(count)
                for _ in 0..<count { pairs.append(try pullPair(&reader)) }
            } else {
                while try !reader.readStop() { pairs.append(try pullPair(&reader)) }
            }
            return .map(pairs)
        case .tag: return .tag(try reader.readTag(), try pull(&reader))
        case .bool: return .bool(try reader.readBool())
        case .null:
            try reader.skip()
            return .null
        case .undefined:
            try reader.skip()
            return .undefined
        case .float: return .float(try reader.readDouble())
        case .simple: return .simple(try reader.readSimple())
        case .stop: throw .malformed("a break stands where an item should", start)
        }
    }

    private static func pullPair(_ reader: inout CBORReader) throws(CBORError) -> Pair {
        let key = try pull(&reader)
        return Pair(key, try pull(&reader))
    }

    /// The item in the deterministic form of RFC 8949 §4.2.1: pairs sorted by key, and everything as short as possible.
    ///
    ///     try CBORValue(decoding: bytes).encoded() == bytes       // if and only if `bytes` are deterministic
    ///
    /// - Throws: `tooDeep`, `duplicateKey`, or `misuse` for a simple value that has no encoding (20 to 31).
    /// - Complexity: O(size), and O(*n* log *n*) for the *n* keys of each map.
    public func encoded() throws(CBORError) -> [UInt8] {
        let writer = CBORWriter()
        try write(to: writer, depth: CBORItem.depthMax)
        return writer.bytes
    }

    /// Writes the item; `depth` more levels are allowed inside. If an error is thrown, part of it may have been written.
    package func write(to writer: CBORWriter, depth: Int) throws(CBORError) {
        try write(to: writer, depth, sorted: true)
    }

    /// Writes the item; its pairs in their order, unless they are to be sorted.
    func write(to writer: CBORWriter, _ depth: Int, sorted: Bool) throws(CBORError) {
        try DeepStack.run(if: isDeep) { () throws(CBORError) in try writeItem(to: writer, depth, sorted) }
    }

    private func writeItem(to writer: CBORWriter, _ depth: Int, _ sorted: Bool) throws(CBORError) {
        switch self {
        case .unsigned(let value): writer.write(unsigned: value)
        case .negative(let value): writer.write(negative: value)
        case .bytes(let value): writer.write(bytes: value)
        case .text(let value): writer.write(text: value)
        case .bool(let value): writer.write(value)
        case .null: writer.writeNull()
        case .undefined: writer.writeUndefined()
        case .float(let value): writer.write(value)
        case .simple(let value):
            guard value < 20 || value > 31 else {
                throw CBORError(.misuse, "simple value \(value) has another meaning or none")
            }
            writer.write(simple: value)
        case .array(let items):
            guard depth > 0 else { throw .tooDeep(nil) }
            writer.writeArrayHead(count: items.count)
            for item in items { try item.writeItem(to: writer, depth - 1, sorted) }
        case .tag(let number, let item):
            guard depth > 0 else { throw .tooDeep(nil) }
            try CBORValue.write(tag: number, item, to: writer, depth - 1, sorted: sorted)
        case .map(let pairs):
            guard depth > 0 else { throw .tooDeep(nil) }
            writer.writeMapHead(count: pairs.count)
            if sorted {
                try CBORValue.writeSorted(pairs, to: writer, depth - 1)
            } else {
                for pair in pairs {
                    try pair.key.writeItem(to: writer, depth - 1, false)
                    try pair.value.writeItem(to: writer, depth - 1, false)
                }
            }
        }
    }

    /// A bignum that a plain integer could hold has to be one (§3.4.3, preferred serialization).
    private static func write(
        tag number: UInt64, _ item: CBORValue, to writer: CBORWriter, _ depth: Int, sorted: Bool
    ) throws(CBORError) {
        if sorted, number == 2 || number == 3, case .bytes(let bytes) = item {
            let digits = bytes.drop { $0 == 0 }
            if digits.count <= 8 {
                let value = digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                return number == 2 ? writer.write(unsigned: value) : writer.write(negative: value)
            }
            writer.write(tag: number)
            return writer.write(bytes: Array(digits))
        }
        writer.write(tag: number)
        try item.writeItem(to: writer, depth, sorted)
    }

    /// The order of pairs whose keys are all texts, as nearly all keys are; `nil` if another is among them. Encoded, the
    /// shorter text comes first, and bytes decide between two of the same length: nothing has to be encoded to be compared.
    private static func orderOfTexts(_ pairs: [Pair]) -> [Int]? {
        guard pairs.allSatisfy({ if case .text = $0.key { true } else { false } }) else { return nil }
        return pairs.indices.sorted { isEncodedBefore(pairs[$0].key, pairs[$1].key) }
    }

    /// Whether a text, encoded, comes before another in the order of bytes.
    private static func isEncodedBefore(_ first: CBORValue, _ second: CBORValue) -> Bool {
        guard case .text(let first) = first, case .text(let second) = second else { return false }
        let (firstCount, secondCount) = (first.utf8.count, second.utf8.count)
        if firstCount != secondCount { return firstCount < secondCount }
        let answer = first.utf8.withContiguousStorageIfAvailable { bytes in
            second.utf8.withContiguousStorageIfAvailable { bytes.lexicographicallyPrecedes($0) }
        }
        return (answer ?? nil) ?? first.utf8.lexicographicallyPrecedes(second.utf8)
    }

    private static func writeSorted(
        _ pairs: [Pair], to writer: CBORWriter, _ depth: Int
    ) throws(CBORError) {
        if let order = orderOfTexts(pairs) {
            for (place, index) in order.enumerated() {
                let key = pairs[index].key
                if place > 0, !isEncodedBefore(pairs[order[place - 1]].key, key) { throw .duplicateKey }
                try key.writeItem(to: writer, depth, true)
                try pairs[index].value.writeItem(to: writer, depth, true)
            }
            return
        }
        var encoded: [(key: [UInt8], value: CBORValue)] = []
        encoded.reserveCapacity(pairs.count)
        for pair in pairs {
            let key = CBORWriter(capacity: 32)
            try pair.key.writeItem(to: key, depth, true)
            encoded.append((key.bytes, pair.value))
        }
        encoded.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for (index, pair) in encoded.enumerated() {
            if index > 0, encoded[index - 1].key == pair.key { throw .duplicateKey }
            writer.write(encoded: pair.key)
            try pair.value.writeItem(to: writer, depth, true)
        }
    }
}

extension CBORItem {
    /// Whether `bytes` are one item in the deterministic form of RFC 8949 §4.2.1: exactly what ``CBOREncoder`` and
    /// ``CBORValue/encoded()`` would write.
    /// - Complexity: O(bytes) and the sorting of keys. Anything that is not well-formed is not deterministic.
    public static func isDeterministic(_ bytes: [UInt8]) -> Bool {
        guard let value = try? CBORValue(decoding: bytes), let again = try? value.encoded() else { return false }
        return again == bytes
    }
}

extension CBORError {
    fileprivate static var duplicateKey: CBORError { CBORError(.duplicateKey, "a map has one key twice") }
}
