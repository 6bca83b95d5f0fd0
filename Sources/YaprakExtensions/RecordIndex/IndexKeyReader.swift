/// Reads values back from the bytes that ``IndexKeyWriter`` wrote. Opaque, as that.
public struct IndexKeyReader {
    /// How the bytes of a column stand for those that were written.
    private enum Form { case plain, inverted, invertedText }

    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0
    private var form = Form.plain

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    private mutating func stored() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position &+= 1 }
        return bytes[position]
    }

    /// The next byte, as it was written; `nil` at the end.
    mutating func next() -> UInt8? {
        switch form {
        case .plain: return stored()
        case .inverted: return stored().map { 0x7F &- $0 }
        case .invertedText:
            guard let high = stored(), let low = stored() else { return nil }
            return ~(high << 4 | low & 15)
        }
    }

    /// Says how the next column stands.
    mutating func enter(_ column: ColumnRule) {
        form = !column.isDescending ? .plain : column.type.isText ? .invertedText : .inverted
    }

    /// Passes a column; false if the bytes end before it does.
    mutating func skip(_ column: ColumnRule) -> Bool {
        enter(column)
        return skip(column.type)
    }

    private mutating func skip(_ type: IndexType) -> Bool {
        for _ in 0..<type.optionals {
            guard let mark = next() else { return false }
            if mark == 1 { return true }
        }
        switch type.kind {
        case .bool: return next() != nil
        case .integer: return wideInteger() != nil
        case .real, .date: return fixed() != nil
        case .uuid: return wideFixed() != nil
        case .string, .data:
            while let byte = next() { if byte == 0 { return true } }
            return false
        }
    }
}

// MARK: Values

extension IndexKeyReader {
    /// The magnitude of an integer, or of its complement.
    mutating func wideInteger() -> (magnitude: UInt128, isNegative: Bool)? {
        guard let head = next() else { return nil }
        let isNegative = head < 0x40
        var magnitude: UInt128 = 0
        for _ in 0..<(isNegative ? 0x3F &- head : head &- 0x40) {
            guard let byte = next() else { return nil }
            magnitude = magnitude << 7 | UInt128((isNegative ? ~byte : byte) & 0x7F)
        }
        return (magnitude, isNegative)
    }

    mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        guard let (magnitude, isNegative) = wideInteger() else { return nil }
        guard isNegative else { return Value(exactly: magnitude) }
        return Int128(exactly: magnitude).flatMap { Value(exactly: ~$0) }
    }

    mutating func fixed() -> UInt64? {
        var bits: UInt64 = 0
        for _ in 0..<10 {
            guard let byte = next() else { return nil }
            bits = bits << 7 | UInt64(byte & 0x7F)
        }
        return bits
    }

    mutating func real() -> Double? {
        fixed().map { bits in
            bits == .max ? .nan : Double(bitPattern: bits >> 63 == 1 ? bits & ~(1 << 63) : ~bits)
        }
    }

    mutating func wideFixed() -> UInt128? {
        var bits: UInt128 = 0
        for _ in 0..<19 {
            guard let byte = next() else { return nil }
            bits = bits << 7 | UInt128(byte & 0x7F)
        }
        return bits
    }

    mutating func text() -> String? {
        var utf8: [UInt8] = []
        while let byte = next() {
            if byte == 0 { return String(decoding: utf8, as: UTF8.self) }
            guard byte == 1 else {
                utf8.append(byte)
                continue
            }
            guard let escaped = next() else { return nil }
            utf8.append(escaped &- 1)
        }
        return nil
    }

    mutating func data() -> [UInt8]? {
        var bytes: [UInt8] = []
        while let high = next() {
            if high == 0 { return bytes }
            guard let low = next() else { return nil }
            bytes.append((high &- 1) << 4 | (low &- 1) & 15)
        }
        return nil
    }
}
