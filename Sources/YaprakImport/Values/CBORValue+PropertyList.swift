public import YaprakCBOR
import YaprakModel

extension CBORValue {
    /// The value of a binary property list, which `PropertyListEncoder` and `NSKeyedArchiver` write.
    ///
    ///     let value = try CBORValue(propertyList: bytes)
    ///     print(value)                                // {"title": "Dune", "salesRank": 3}
    ///
    /// Each value becomes what Yaprak's coder writes for the same value, so that a type that was encoded by `PropertyListEncoder`
    /// decodes from it: a date is its seconds since 2001, data is a byte string, and the text `$null`, by which that
    /// encoder writes `nil`, is null. A keyed archive becomes the objects that it holds (``init(keyedArchive:)``).
    ///
    /// - Throws: ``ForeignDataError``. Safe to use on bytes from anywhere: what would hold itself, nest deeper or be larger
    ///   than a record may be is refused, and so is what refers to the same objects again and again: to more than 2 million in
    ///   all, or one for each byte if that is more, and in no case to more than 16 million. Memory is bounded.
    /// - Complexity: O(bytes) for a list that holds each object once.
    public init(propertyList bytes: [UInt8]) throws(ForeignDataError) {
        try self.init(propertyList: bytes, bytesMax: DatabaseLimits.storedValueBytesMax)
    }

    /// - Parameter bytesMax: the bytes that its texts, data and elements may have together.
    init(propertyList bytes: [UInt8], bytesMax: Int) throws(ForeignDataError) {
        let list = try BinaryPropertyList(bytes, itemsMax: Expansion.valueItemsMax)
        if let archive = try KeyedArchive(list) {
            self = try archive.value(bytesMax: bytesMax)
        } else {
            var walk = ReferenceWalk(list, bytesMax: bytesMax)
            self = try walk.value(list.top, 0, Self.converted)
        }
    }

    /// The value of what an `NSKeyedArchiver` archived, which is the usual form of objects in YapDatabase.
    ///
    /// Texts, numbers, dates, data, arrays, sets, dictionaries, `NSNull`, `NSURL`, `NSUUID` and `NSDecimalNumber` become what
    /// Yaprak's coder writes for Swift's counterparts. An object of any other class becomes a map of the fields that it
    /// archived, and its class as `$class`:
    ///
    ///     {"$class": "Shop.Book", "title": "Dune", "salesRank": 3}
    ///
    /// A Swift type that has those properties decodes from it. An archive with other names than `root` at its top
    /// becomes a map of them.
    ///
    /// - Throws: ``ForeignDataError``, also for a property list that is no keyed archive, and for objects that hold
    ///   themselves. Safe to use on bytes from anywhere, as ``init(propertyList:)``.
    public init(keyedArchive bytes: [UInt8]) throws(ForeignDataError) {
        let list = try BinaryPropertyList(bytes, itemsMax: Expansion.valueItemsMax)
        guard let archive = try KeyedArchive(list) else {
            throw .malformed("the property list is no keyed archive")
        }
        self = try archive.value(bytesMax: DatabaseLimits.storedValueBytesMax)
    }

    private static func converted(
        _ walk: inout ReferenceWalk, _ object: BinaryPropertyList.Object, _ level: Int
    ) throws(ForeignDataError) -> CBORValue {
        switch object {
        case .text("$null"): return .null
        case .array(let numbers):
            try walk.take(bytes: numbers.count)
            var items: [CBORValue] = []
            items.reserveCapacity(numbers.count)
            for number in numbers { items.append(try walk.value(number, level + 1, converted)) }
            return .array(items)
        case .dictionary(let keys, let values):
            try walk.take(bytes: 2 * keys.count)
            var pairs: [Pair] = []
            pairs.reserveCapacity(keys.count)
            for (key, value) in zip(keys, values) {
                // A key that is the text "$null" is a key.
                guard let name = CBORValue(leaf: try walk.object(key)) else {
                    throw .malformed("a key of a dictionary is no plain value")
                }
                pairs.append(Pair(name, try walk.value(value, level + 1, converted)))
            }
            return .map(pairs)
        // What a list that is no archive means by a reference, nobody knows. Its number is kept.
        case .uid(let number): return .map([Pair("CF$UID", .unsigned(number))])
        default:
            guard let value = CBORValue(leaf: object) else { throw .malformed("an object has an unknown kind") }
            return value
        }
    }
}
