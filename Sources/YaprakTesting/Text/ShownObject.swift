internal import YaprakCBOR
internal import YaprakCore

/// What a row shows: the object of a record, or what a view has made of a group.
///
/// Two are alike if they are equal. One that has NaN in it is not equal to its copies: of such, those are alike that encode
/// alike.
struct ShownObject: Equatable, Sendable {
    private let object: any Codable & Equatable & Sendable

    init(_ object: any Codable & Equatable & Sendable) { self.object = object }

    static func == (a: Self, b: Self) -> Bool { areAlike(a.object, b.object) }

    private static func areAlike<Object: Codable & Equatable>(
        _ a: Object, _ other: any Codable & Equatable & Sendable
    ) -> Bool {
        guard let b = other as? Object else { return false }
        if a == b { return true }
        guard let bytes = bytes(of: a), bytes == Self.bytes(of: b) else { return false }
        return !equalsItsCopies(a, bytes)
    }

    /// Whether copies of an object are equal. It is not compared with itself: an array with NaN in it says that it is equal.
    private static func equalsItsCopies<Object: Codable & Equatable>(_ object: Object, _ bytes: [UInt8]) -> Bool {
        let copies = (0..<2).compactMap { _ in try? CBORDecoder().decode(Object.self, from: bytes) }
        return copies.count == 2 ? copies[0] == copies[1] : object == object
    }

    private static func bytes(of object: any Encodable) -> [UInt8]? { try? CBOREncoder().encode(object) }

    /// The object in diagnostic notation. Two of which none encodes have one text.
    var text: String {
        guard let bytes = Self.bytes(of: object), let value = try? CBORValue(decoding: bytes) else {
            return "(does not encode)"
        }
        return RecordText.value(value)
    }
}

/// A row of which it is known what it shows.
protocol ShowingRow {
    var shown: ShownObject { get }
}

extension Record: ShowingRow where Object: Equatable {
    var shown: ShownObject { ShownObject(object) }
}
