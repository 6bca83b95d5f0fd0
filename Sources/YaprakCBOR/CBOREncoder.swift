/// Encodes `Encodable` values as CBOR (RFC 8949) in its deterministic form (§4.2.1): equal values give equal bytes.
///
///     let encoder = CBOREncoder()
///     let bytes = try encoder.encode(Book(title: "Dune", genre: "sci-fi", salesRank: 3))
///     try encoder.encode(other, into: &buffer)            // appends, and keeps the memory of `buffer`
///
/// The encodings:
///
/// | Swift | CBOR |
/// | --- | --- |
/// | integers of any width | an integer; a bignum (tag 2 or 3) beyond 64 bits |
/// | `Double`, `Float` | the shortest float that keeps the value; one NaN; -0 stays -0 |
/// | `String` | a text string |
/// | `[UInt8]`, Foundation's `Data` | a byte string |
/// | a keyed container | a map with text keys, sorted |
/// | an unkeyed container | an array |
/// | `nil` in a single value or an array | null |
/// | ``CBORValue`` | the item it stands for |
///
/// Keys are always text, `intValue` or not: a `[String: X]` dictionary reports an `intValue` for "7" and for "07" alike,
/// and both keys must be kept. `[Int: X]` therefore has its keys in decimal digits, as in JSON. A key that is encoded
/// twice keeps its last value. A container that is filled by a single `encode(contentsOf:)` of bytes, as `Data` does it,
/// becomes a byte string.
///
/// A container that is requested twice is continued, as Foundation's encoders do it: the one of a value, which a class and its
/// superclass may share, and the nested one under a key of a map. Where a container of another kind, or a value, is under that
/// key already, encoding throws.
///
/// The order in which a type encodes its fields makes no difference to the bytes. The iteration order of a `Set` does, and
/// that of a dictionary whose keys are neither texts nor integers: both are arrays to `Codable`.
///
/// Where values are nested deep, the types' `encode(to:)` runs on another thread from the 17th level on, while the caller
/// waits: a thread's own stack may be too small. Task-local values are not seen there.
///
/// An encoder that a type keeps, and uses when its `encode(to:)` has returned, writes nothing: its containers throw, and so
/// does the value that is being encoded by then.
///
/// An encoder is a value and may be shared between threads; each call uses its own buffer.
public struct CBOREncoder: Sendable {
    /// Values that encoded types may look up.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    private let pool = OneObjectPool<EncodingState>()
    private let sortsSets: Bool

    /// An encoder.
    public init() { sortsSets = false }

    /// An encoder that puts the elements of a `Set`, and of a dictionary that is an array to `Codable`, into the order of their
    /// bytes: equal ones give equal bytes.
    package init(sortsSets: Bool) { self.sortsSets = sortsSets }

    /// The value in CBOR.
    /// - Throws: `EncodingError.invalidValue` with the coding path if containers are nested deeper than
    ///   ``CBORItem/depthMax`` or used out of order, and whatever the type's own `encode(to:)` throws.
    /// - Complexity: O(bytes written), and O(*n* log *n*) for the *n* keys of each map.
    public func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
        var state = take()
        try state.encodeRoot(value)
        let bytes = state.writer.bytes
        put(&state)
        return bytes
    }

    /// Appends the value in CBOR to `bytes`. Throws and costs as ``encode(_:)``; if it throws, `bytes` is unchanged.
    public func encode<T: Encodable>(_ value: T, into bytes: inout [UInt8]) throws {
        var state = take()
        try state.encodeRoot(value)
        state.writer.withBytes { bytes.append(contentsOf: $0) }
        put(&state)
    }

    /// Writes the value behind what `writer` holds, and returns its length. If an error is thrown, nothing was written.
    ///
    /// - Parameter depthMax: containers of the value may be nested this deep.
    @discardableResult
    package func encode<T: Encodable>(
        _ value: T, to writer: CBORWriter, depthMax: Int = CBORItem.depthMax
    ) throws -> Int {
        var state = take(depthMax)
        try state.encodeRoot(value)
        state.writer.withBytes { writer.write(encoded: $0) }
        let length = state.writer.count
        put(&state)
        return length
    }

    /// Whether containers of the value are nested deeper than `depthMax`. False where it does not encode for another reason.
    /// - Complexity: that of encoding it.
    package func isDeeper<T: Encodable>(_ value: T, than depthMax: Int) -> Bool {
        var state = take(depthMax)
        do { try state.encodeRoot(value) } catch { return CBORError(under: error)?.code == .tooDeep }
        put(&state)
        return false
    }

    private func take(_ depthMax: Int = CBORItem.depthMax) -> EncodingState {
        let state = pool.take() ?? EncodingState()
        state.depthMax = depthMax
        state.sortsSets = sortsSets
        if !userInfo.isEmpty { state.userInfo = userInfo.mapValues { $0 } }
        return state
    }

    /// Returns the state to the pool. A state in which an error was thrown is not reused.
    private func put(_ state: inout EncodingState) {
        state.reset()
        pool.put(&state)
    }
}
