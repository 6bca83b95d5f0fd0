public import YaprakCBOR
import YaprakModel

/// A value as another program stored it, read without that program's types.
///
///     let stored = StoredValue(bytes)
///     print(stored.form, stored.value)                    // propertyList {"title": "Dune", "salesRank": 3}
///
/// What is in no form that is known keeps its bytes: nothing is lost by reading.
public struct StoredValue: Sendable, Hashable {
    /// How a value was stored. The set is open: later versions may add to it.
    public struct Form: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name.
        public let rawValue: String
        /// A form with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The stable name.
        public var description: String { rawValue }
    }

    /// How it was stored.
    public let form: Form
    /// The value: of a form that is known, the value itself; otherwise its bytes.
    public let value: CBORValue
    /// Why it could not be read, although it looks like one of the forms that are known; or `nil`.
    public let error: ForeignDataError?

    /// Reads a value, by what its bytes begin with.
    ///
    /// | bytes | form | value |
    /// | --- | --- | --- |
    /// | none | ``Form/empty`` | null |
    /// | a binary property list | ``Form/propertyList`` | ``CBORValue/init(propertyList:)`` |
    /// | one that an `NSKeyedArchiver` wrote | ``Form/keyedArchive`` | ``CBORValue/init(keyedArchive:)`` |
    /// | an object, an array or a text of JSON | ``Form/json`` | the same values |
    /// | eight bytes that are a date from 1950 to 2150 | ``Form/timestamp`` | its seconds since 2001 |
    /// | others | ``Form/bytes`` | a byte string |
    ///
    /// The eight bytes are what YapDatabase's `timestampSerializer` writes: a `Double` in the order of Apple's processors.
    /// Numbers of JSON are integers of up to 128 bits or `Double`.
    ///
    /// - Parameters:
    ///   - bytes: what was stored.
    ///   - mayBeTimestamp: whether to look for that date: of metadata, say. Other things have eight bytes as well.
    /// - Complexity: O(bytes).
    public init(_ bytes: [UInt8], mayBeTimestamp: Bool = false) {
        self.init(bytes, mayBeTimestamp: mayBeTimestamp, bytesMax: DatabaseLimits.storedValueBytesMax)
    }

    /// - Parameter bytesMax: the bytes that the texts, data and elements of a property list may have together.
    init(_ bytes: [UInt8], mayBeTimestamp: Bool = false, bytesMax: Int) {
        if bytes.isEmpty {
            self.init(.empty, .null)
        } else if BinaryPropertyList.isLikely(bytes) {
            do throws(ForeignDataError) {
                let list = try BinaryPropertyList(bytes, itemsMax: Expansion.valueItemsMax)
                let isArchive = try KeyedArchive(list) != nil
                let value = try Self.checked(try CBORValue(propertyList: bytes, bytesMax: bytesMax))
                self.init(isArchive ? .keyedArchive : .propertyList, value)
            } catch {
                self.init(.bytes, .bytes(bytes), error)
            }
        } else if mayBeTimestamp, !Self.isLikelyJSON(bytes), let date = Self.timestamp(bytes) {
            self.init(.timestamp, .float(date))
        } else if Self.mayBeJSON(bytes) {
            do throws(ForeignDataError) {
                self.init(.json, try Self.json(bytes))
            } catch {
                self.init(.bytes, .bytes(bytes), Self.isLikelyJSON(bytes) ? error : nil)
            }
        } else {
            self.init(.bytes, .bytes(bytes))
        }
    }

    private static func json(_ bytes: [UInt8]) throws(ForeignDataError) -> CBORValue {
        let value: CBORValue
        do throws(CBORError) { value = try CBORValue(json: bytes[...]) } catch { throw .malformed(error.message) }
        return try checked(consume value)
    }

    /// Whether bytes that may be JSON look like nothing else: text that ends as it begins.
    private static func isLikelyJSON(_ bytes: [UInt8]) -> Bool {
        guard mayBeJSON(bytes), let first = bytes.first(where: { !blank.contains($0) }),
            let last = bytes.last(where: { !blank.contains($0) }), let end = ends[first]
        else { return false }
        return bytes.count > 1 && last == end && String(validating: bytes, as: UTF8.self) != nil
    }

    private static let blank: [UInt8] = [0x20, 0x09, 0x0a, 0x0d]
    private static let ends = [
        UInt8(ascii: "{"): UInt8(ascii: "}"), UInt8(ascii: "["): UInt8(ascii: "]"),
        UInt8(ascii: "\""): UInt8(ascii: "\""),
    ]

    private init(_ form: Form, _ value: CBORValue, _ error: ForeignDataError? = nil) {
        self.form = form
        self.value = value
        self.error = error
    }

    /// What can't be a record, such as a map with one key twice, is found here and not when it is written.
    private static func checked(_ value: consuming CBORValue) throws(ForeignDataError) -> CBORValue {
        do throws(CBORError) {
            let bytes = try value.encoded()
            // Two of them at a time would be twice the memory.
            _ = consume value
            // The pairs come back in the order of a record that was read from a file.
            return try CBORValue(decoding: bytes)
        } catch {
            throw error.code == .tooDeep
                ? ForeignDataError(.overLimit, "the value is nested deeper than a record may be")
                : .malformed(error.message)
        }
    }

    /// An object, an array or a text. Digits alone may be anything.
    private static func mayBeJSON(_ bytes: [UInt8]) -> Bool {
        bytes.first { !blank.contains($0) }.map { ends[$0] != nil } ?? false
    }

    private static func timestamp(_ bytes: [UInt8]) -> Double? {
        guard bytes.count == 8 else { return nil }
        let seconds = Double(bitPattern: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        // From 1950 to 2150. Anything else in eight bytes is very seldom in this range, and never 0.
        return seconds != 0 && (-1_609_459_200...4_701_974_400).contains(seconds) && abs(seconds) > 1 ? seconds : nil
    }
}

extension StoredValue.Form {
    /// No bytes at all.
    public static let empty = Self(rawValue: "empty")
    /// A binary property list, as `PropertyListEncoder` writes it.
    public static let propertyList = Self(rawValue: "propertyList")
    /// A keyed archive, as `NSKeyedArchiver` writes it.
    public static let keyedArchive = Self(rawValue: "keyedArchive")
    /// JSON.
    public static let json = Self(rawValue: "json")
    /// A date in eight bytes.
    public static let timestamp = Self(rawValue: "timestamp")
    /// Bytes of no form that is known.
    public static let bytes = Self(rawValue: "bytes")
}
