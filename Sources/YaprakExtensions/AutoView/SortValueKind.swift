import Foundation
import YaprakCore

/// The order of values of one type: how they are prepared, what of them fits into a word, how they compare.
///
///     type                              word               equal words
///     Int … Int8, UInt … UInt8          the value          equal values
///     Double, Float, Float16, CGFloat,
///     Date                              its total order    equal values
///     Float80                           as a Double        compare the values
///     Int128, UInt128                   the nearest Int64  compare the values
///     String                            its first 8 bytes  compare the bytes
///     one that may be missing, a pair   of the (first) part  compare the parts
///     all others                        none               compare with `<`
struct SortValueKind<Key: Comparable & Sendable>: Sendable {
    /// Brings a value into the form that is kept and compared.
    let prepare: @Sendable (Key) -> Key
    /// A number that orders as the values do as far as it goes; `nil` if there is none.
    let hint: (@Sendable (Key) -> UInt64)?
    /// The order of two values with the same hint: less than 0, 0, or more than 0; `nil` if they are equals always. That
    /// is only so for types of the table: what `<` means for a user's type is for that type to say, integers included.
    let compare: (@Sendable (Key, Key) -> Int)?

    init(
        prepare: @escaping @Sendable (Key) -> Key = { $0 }, word: @escaping @Sendable (Key) -> UInt64,
        compare: (@Sendable (Key, Key) -> Int)? = nil
    ) {
        self.prepare = prepare
        self.compare = compare
        hint = word
    }

    /// The order of a type that nothing is known of.
    private init(unknown: Void) {
        prepare = { $0 }
        hint = nil
        compare = ascending
    }

    init() {
        switch Key.self {
        case is Int.Type: self.init(word: { signed(Int64(unsafeBitCast($0, to: Int.self))) })
        case is Int64.Type: self.init(word: { signed(unsafeBitCast($0, to: Int64.self)) })
        case is Int32.Type: self.init(word: { signed(Int64(unsafeBitCast($0, to: Int32.self))) })
        case is Int16.Type: self.init(word: { signed(Int64(unsafeBitCast($0, to: Int16.self))) })
        case is Int8.Type: self.init(word: { signed(Int64(unsafeBitCast($0, to: Int8.self))) })
        case is UInt.Type: self.init(word: { UInt64(unsafeBitCast($0, to: UInt.self)) })
        case is UInt64.Type: self.init(word: { unsafeBitCast($0, to: UInt64.self) })
        case is UInt32.Type: self.init(word: { UInt64(unsafeBitCast($0, to: UInt32.self)) })
        case is UInt16.Type: self.init(word: { UInt64(unsafeBitCast($0, to: UInt16.self)) })
        case is UInt8.Type: self.init(word: { UInt64(unsafeBitCast($0, to: UInt8.self)) })
        case is Int128.Type:
            self.init(word: { signed(Int64(clamping: unsafeBitCast($0, to: Int128.self))) }) {
                ascending(unsafeBitCast($0, to: Int128.self), unsafeBitCast($1, to: Int128.self))
            }
        case is UInt128.Type:
            self.init(word: { UInt64(clamping: unsafeBitCast($0, to: UInt128.self)) }) {
                ascending(unsafeBitCast($0, to: UInt128.self), unsafeBitCast($1, to: UInt128.self))
            }
        case is Double.Type: self.init(word: { totalOrder(unsafeBitCast($0, to: Double.self)) })
        case is Float.Type: self.init(word: { totalOrder(Double(unsafeBitCast($0, to: Float.self))) })
        case is CGFloat.Type: self.init(word: { totalOrder(Double(unsafeBitCast($0, to: CGFloat.self))) })
        case is Date.Type:
            self.init(word: { totalOrder(unsafeBitCast($0, to: Date.self).timeIntervalSinceReferenceDate) })
        case is String.Type:
            self.init(
                prepare: { unsafeBitCast(unsafeBitCast($0, to: String.self).normalizedKey, to: Key.self) },
                word: { firstBytes(unsafeBitCast($0, to: String.self)) }
            ) { compareBytes(unsafeBitCast($0, to: String.self), unsafeBitCast($1, to: String.self)) }
        default:
            self = Self.otherFloatingPoint ?? Self.composite ?? Self(unknown: ())
        }
    }

    /// The orders of the types of floating point that not every machine has.
    private static var otherFloatingPoint: Self? {
        #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
            if Key.self == Float16.self {
                return Self(word: { totalOrder(Double(unsafeBitCast($0, to: Float16.self))) })
            }
        #endif
        #if !(os(Windows) || os(Android)) && (arch(i386) || arch(x86_64))
            if Key.self == Float80.self {
                return Self(word: { totalOrder(Double(unsafeBitCast($0, to: Float80.self))) }) {
                    // NaN has its own word, the last.
                    ascending(unsafeBitCast($0, to: Float80.self), unsafeBitCast($1, to: Float80.self))
                }
            }
        #endif
        return nil
    }
}

private func ascending<Value: Comparable>(_ a: Value, _ b: Value) -> Int { a < b ? -1 : b < a ? 1 : 0 }

private func signed(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ 1 << 63 }

/// A number's place in an order that has a place for all of them: −∞ … −0 = 0 … ∞, then NaN.
private func totalOrder(_ value: Double) -> UInt64 {
    if value.isNaN { return .max }
    if value == 0 { return 1 << 63 }
    let bits = value.bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
}

/// The first eight bytes as a number, zeros for what is not there.
func firstBytes(_ string: String) -> UInt64 {
    string.utf8.withContiguousStorageIfAvailable { bytes in
        var word: UInt64 = 0
        let n = min(8, bytes.count)
        for i in 0..<n { word = word << 8 | UInt64(bytes[i]) }
        return n == 0 ? 0 : word << UInt64(8 * (8 - n))
    } ?? 0
}

func compareBytes(_ a: String, _ b: String) -> Int {
    let order = a.utf8.withContiguousStorageIfAvailable { a in
        b.utf8.withContiguousStorageIfAvailable { b in
            let n = min(a.count, b.count)
            for i in 0..<n where a[i] != b[i] { return a[i] < b[i] ? -1 : 1 }
            return a.count < b.count ? -1 : a.count > b.count ? 1 : 0
        }
    }
    return order.flatMap { $0 } ?? (a < b ? -1 : b < a ? 1 : 0)
}
