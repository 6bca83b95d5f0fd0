/// Decodes `Decodable` values from CBOR (RFC 8949), deterministic or not.
///
///     let book = try CBORDecoder().decode(Book.self, from: bytes)
///
/// The bytes may come from anywhere: no input traps, and memory is bounded by a fixed multiple of their number (and of the
/// size of the decoded types). It reads what ``CBOREncoder`` writes, and also:
///
/// - indefinite lengths, long heads and maps in any order; a map with one key twice is an error;
/// - an integer as a float, if the float holds it exactly; never a float as an integer;
/// - a wider float as a `Float`, rounded; a finite one that `Float` can't hold is an error;
/// - undefined as null;
/// - a byte string as an array of bytes, and the reverse;
/// - integers as map keys, for coding keys that have an `intValue` and no pair under their text;
/// - any tag around any value: it is skipped. Tags 2 and 3 make an integer of up to 128 bits.
///
/// Where arrays, maps and tags are nested more than 16 levels deep, the types' `init(from:)` runs on another thread while the
/// caller waits: a thread's own stack may be too small. So does what types that decode themselves several times for each
/// container have below their 32nd level. Task-local values are not seen there.
///
/// A type may keep its decoder or a container of it, and use it until the call of `decode` returns: it reads the item it was
/// made for, whatever was decoded in between. Later it throws.
///
/// A decoder is a value and may be shared between threads.
public struct CBORDecoder: Sendable {
    /// Values that decoded types may look up.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    private let pool = OneObjectPool<DecodingState>()

    /// A decoder.
    public init() {}

    /// The value of the single item in `bytes`.
    /// - Throws: `DecodingError` with the coding path: `keyNotFound`, `valueNotFound` and `typeMismatch` for bytes of another
    ///   shape, `dataCorrupted` with an underlying ``CBORError`` for bytes that are not CBOR; and what the type's own
    ///   `init(from:)` throws.
    /// - Complexity: O(bytes) times the nesting of containers, and O(*n* log *n*) for *n* keys of an unsorted map.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// The value of the single item in `bytes`. Throws and costs as the one above.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: ArraySlice<UInt8>) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// The value of the single item in `bytes`, such as Foundation's `Data`. Throws and costs as the one above.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: some Collection<UInt8>) throws -> T {
        let value = try bytes.withContiguousStorageIfAvailable { try decode(type, from: UnsafeRawBufferPointer($0)) }
        return try value ?? decode(type, from: Array(bytes))
    }

    /// The value of the single item in `bytes`. Throws and costs as the one above. The pointer is not used after the call.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: UnsafeRawBufferPointer) throws -> T {
        var state = pool.take() ?? DecodingState()
        state.open(bytes, userInfo)
        defer {
            // A container that outlives the call finds no bytes any more, and keeps its state from being reused.
            state.closeRoot()
            pool.put(&state)
        }
        // A map is read from end to end before any of its values is decoded; anything else is measured here.
        let isMap = bytes.first.map { $0 >> 5 == Major.map } ?? false
        var isDeep: Bool?
        do throws(CBORError) {
            // Offsets are kept in 32 bits.
            guard UInt64(bytes.count) < UInt64(UInt32.max) else {
                throw CBORError(.overLimit, "the input is larger than 4 GiB", offset: nil)
            }
            if !isMap {
                let (end, isItDeep) = try CBORItem.measure(bytes, from: 0)
                try CBORDecoder.check(bytes, end: end)
                isDeep = isItDeep
            }
        } catch {
            throw state.corrupted(error, nil)
        }
        let value = try state.decodeRoot(type, isDeep: isDeep)
        if isMap {
            do throws(CBORError) {
                try CBORDecoder.check(bytes, end: state.rootEnd)
            } catch {
                throw state.corrupted(error, nil)
            }
        }
        return value
    }

    /// The value of the single item in `bytes`. Keys that a type requires and a map lacks come from `prototype`.
    ///
    /// The prototype is the item of a value of the same type. Its maps stand for the maps at the same place, the first item of
    /// its arrays for each item of the arrays at the same place. A key that a type only looks for stays missing.
    /// - Throws: as the one above; `keyNotFound` if the prototype lacks the key, too.
    /// - Complexity: that of the one above if nothing is missing, else twice that and O(prototype) for each missing key.
    package func decode<T: Decodable>(
        _ type: T.Type, from bytes: UnsafeRawBufferPointer, filling prototype: [UInt8]
    ) throws -> T {
        do { return try decode(type, from: bytes) } catch DecodingError.keyNotFound {}
        // One run of bytes, so that an offset may lie in either item.
        return try (Array(bytes) + prototype).withUnsafeBytes { joined in
            var state = pool.take() ?? DecodingState()
            state.open(joined, userInfo)
            state.prototype = bytes.count
            defer {
                state.closeRoot()
                pool.put(&state)
            }
            let isDeep: Bool
            do throws(CBORError) {
                guard UInt64(joined.count) < UInt64(UInt32.max) else {
                    throw CBORError(.overLimit, "the input is larger than 4 GiB", offset: nil)
                }
                let (end, isItDeep) = try CBORItem.measure(bytes, from: 0)
                try CBORDecoder.check(bytes, end: end)
                isDeep = isItDeep
            } catch {
                throw state.corrupted(error, nil)
            }
            return try state.decodeRoot(type, isDeep: isDeep)
        }
    }

    /// Checks that `bytes` are one well-formed item. `end` is its end, if that is known.
    private static func check(_ bytes: UnsafeRawBufferPointer, end: Int?) throws(CBORError) {
        let length = if let end { end } else { try CBORItem.length(of: bytes) }
        guard length == bytes.count else {
            throw CBORError(.trailingBytes, "bytes follow the item", offset: length)
        }
    }
}
