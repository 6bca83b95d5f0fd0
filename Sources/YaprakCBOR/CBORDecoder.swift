/// Decodes `Decodable` values from CBOR (RFC 8949), deterministic or not.
///
///     let book = try CBORDecoder().decode(Book.self, from: bytes)
///
/// The bytes may come from anywhere: no input traps, and memory is bounded by a fixed multiple of their number (and of the
/// size of the types that are asked for). It takes what ``CBOREncoder`` writes, and besides:
///
/// - indefinite lengths, long heads and maps in any order; a map with one key twice is an error;
/// - an integer where a float is asked for, if the float holds it exactly; never a float where an integer is asked for;
/// - a wider float where a `Float` is asked for, rounded; a finite one that `Float` can't hold is an error;
/// - undefined as null;
/// - a byte string wherever an array of bytes is asked for, and the other way round;
/// - integers as map keys, for coding keys that have an `intValue` and no pair under their text;
/// - any tag around any value: it is passed over. Tags 2 and 3 make an integer of up to 128 bits.
///
/// A decoder is a value and may be shared between threads.
public struct CBORDecoder: Sendable {
    /// What the types that are decoded may look up.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    private let pool = OneObjectPool<DecodingState>()

    /// A decoder.
    public init() {}

    /// The value of the one item that `bytes` hold.
    /// - Throws: `DecodingError` with the coding path: `keyNotFound`, `valueNotFound` and `typeMismatch` for bytes that are
    ///   of another shape, `dataCorrupted` with a ``CBORError`` underneath for bytes that are no CBOR; and whatever the
    ///   type's own `init(from:)` throws.
    /// - Complexity: O(bytes) times the nesting of containers, and O(*n* log *n*) for *n* keys of an unsorted map.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// The value of the one item that `bytes` hold. Throws and costs as the one above.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: ArraySlice<UInt8>) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// The value of the one item that `bytes`, Foundation's `Data` for example, hold. Throws and costs as the one above.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: some Collection<UInt8>) throws -> T {
        let value = try bytes.withContiguousStorageIfAvailable { try decode(type, from: UnsafeRawBufferPointer($0)) }
        return try value ?? decode(type, from: Array(bytes))
    }

    /// The value of the one item that `bytes` hold. Throws and costs as the one above. The pointer is not used after the call.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: UnsafeRawBufferPointer) throws -> T {
        var state = pool.take() ?? DecodingState()
        state.open(bytes, userInfo)
        defer {
            // A container that somebody kept finds no bytes any more, and keeps its state from being used again.
            state.close()
            pool.put(&state)
        }
        // A map is read from end to end before any of its values is decoded; anything else is checked here.
        let isMap = bytes.first.map { $0 >> 5 == Major.map } ?? false
        do throws(CBORError) {
            // Offsets are kept in 32 bits.
            guard UInt64(bytes.count) < UInt64(UInt32.max) else {
                throw CBORError(.overLimit, "the input is larger than 4 GiB", offset: nil)
            }
            if !isMap { try CBORDecoder.check(bytes, end: nil) }
        } catch {
            throw state.corrupted(error, nil)
        }
        let value = try state.decode(type, at: 0)
        if isMap {
            do throws(CBORError) {
                try CBORDecoder.check(bytes, end: state.rootEnd)
            } catch {
                throw state.corrupted(error, nil)
            }
        }
        return value
    }

    /// Sees to it that `bytes` are one well-formed item. `end` is where it ends, if that is known.
    private static func check(_ bytes: UnsafeRawBufferPointer, end: Int?) throws(CBORError) {
        let length = if let end { end } else { try CBORItem.length(of: bytes) }
        guard length == bytes.count else {
            throw CBORError(.trailingBytes, "bytes follow the item", offset: length)
        }
    }
}
