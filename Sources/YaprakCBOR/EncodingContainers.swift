/// The key of an item in an array, for coding paths.
struct IndexKey: CodingKey {
    let index: Int
    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { index = intValue }
    init?(stringValue: String) { return nil }
    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }
}

/// The key under which a superclass stands unless it is given another.
struct SuperKey: CodingKey {
    init() {}
    init?(intValue: Int) { return nil }
    init?(stringValue: String) { guard stringValue == "super" else { return nil } }
    var intValue: Int? { nil }
    var stringValue: String { "super" }
}

/// A map that is being written.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.codingPath }

    @inline(__always)
    private func begin(_ key: some CodingKey, _ value: @autoclosure () -> Any) throws -> CBORWriter {
        guard state.frame.serial == serial, state.frame.kind == .keyed else { throw state.failure(value(), .misuse) }
        state.beginEntry(key.stringValue)
        return state.writer
    }

    mutating func encodeNil(forKey key: Key) throws { try begin(key, "nil").writeNull() }
    mutating func encode(_ value: Bool, forKey key: Key) throws { try begin(key, value).write(value) }
    mutating func encode(_ value: String, forKey key: Key) throws { try begin(key, value).write(text: value) }
    mutating func encode(_ value: Double, forKey key: Key) throws { try begin(key, value).write(value) }
    mutating func encode(_ value: Float, forKey key: Key) throws { try begin(key, value).write(value) }
    mutating func encode(_ value: Int, forKey key: Key) throws { try begin(key, value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int8, forKey key: Key) throws { try begin(key, value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int16, forKey key: Key) throws { try begin(key, value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int32, forKey key: Key) throws { try begin(key, value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { try begin(key, value).write(integer: value) }
    mutating func encode(_ value: Int128, forKey key: Key) throws { try begin(key, value).write(integer: value) }
    mutating func encode(_ value: UInt, forKey key: Key) throws { try begin(key, value).write(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt8, forKey key: Key) throws {
        try begin(key, value).write(unsigned: UInt64(value))
    }
    mutating func encode(_ value: UInt16, forKey key: Key) throws {
        try begin(key, value).write(unsigned: UInt64(value))
    }
    mutating func encode(_ value: UInt32, forKey key: Key) throws {
        try begin(key, value).write(unsigned: UInt64(value))
    }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { try begin(key, value).write(unsigned: value) }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { try begin(key, value).write(integer: value) }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        _ = try begin(key, value)
        do { try state.encode(value, under: key) } catch {
            state.abandonEntry()
            throw error
        }
    }

    private func branch(_ key: some CodingKey) -> EncodingState {
        // These calls can't throw: out of order, the container writes where nobody looks, and the item reports the misuse.
        guard state.frame.serial == serial, state.frame.kind == .keyed else {
            state.frame.fault = .misuse
            return EncodingState()
        }
        state.beginEntry(key.stringValue)
        return state.branch(under: key)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { branch(key).container(keyedBy: type) }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        branch(key).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { branch(SuperKey()) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { branch(key) }
}

/// An array that is being written.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.codingPath }
    var count: Int { state.frame.serial == serial ? state.frame.count : 0 }

    @inline(__always)
    private func begin(_ value: @autoclosure () -> Any) throws -> CBORWriter {
        guard state.frame.serial == serial, state.frame.kind == .unkeyed else { throw state.failure(value(), .misuse) }
        if state.frame.isBlob { state.endBlob() }
        state.frame.count &+= 1
        return state.writer
    }

    mutating func encodeNil() throws { try begin("nil").writeNull() }
    mutating func encode(_ value: Bool) throws { try begin(value).write(value) }
    mutating func encode(_ value: String) throws { try begin(value).write(text: value) }
    mutating func encode(_ value: Double) throws { try begin(value).write(value) }
    mutating func encode(_ value: Float) throws { try begin(value).write(value) }
    mutating func encode(_ value: Int) throws { try begin(value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int8) throws { try begin(value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int16) throws { try begin(value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int32) throws { try begin(value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int64) throws { try begin(value).write(integer: value) }
    mutating func encode(_ value: Int128) throws { try begin(value).write(integer: value) }
    mutating func encode(_ value: UInt) throws { try begin(value).write(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt8) throws { try begin(value).write(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt16) throws { try begin(value).write(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt32) throws { try begin(value).write(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt64) throws { try begin(value).write(unsigned: value) }
    mutating func encode(_ value: UInt128) throws { try begin(value).write(integer: value) }

    mutating func encode<T: Encodable>(_ value: T) throws {
        _ = try begin(value)
        do { try state.encode(value, under: IndexKey(state.frame.count - 1)) } catch {
            state.frame.count -= 1
            throw error
        }
    }

    mutating func encode<S: Sequence>(contentsOf bytes: S) throws where S.Element == UInt8 {
        guard state.frame.serial == serial, state.frame.kind == .unkeyed else { throw state.failure(bytes, .misuse) }
        if state.frame.count == 0, !state.frame.isBlob { return state.beginBlob(bytes) }
        for byte in bytes { try encode(byte) }
    }

    private func branch() -> EncodingState {
        guard state.frame.serial == serial, state.frame.kind == .unkeyed else {
            state.frame.fault = .misuse
            return EncodingState()
        }
        if state.frame.isBlob { state.endBlob() }
        state.frame.count += 1
        return state.branch(under: IndexKey(state.frame.count - 1))
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        branch().container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { branch().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { branch() }
}

/// A single item that is being written.
struct SingleValueEncoding: SingleValueEncodingContainer {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.codingPath }

    @inline(__always)
    private func begin(_ value: @autoclosure () -> Any) throws -> CBORWriter {
        guard state.frame.serial == serial, state.frame.kind == .single, state.frame.count == 0 else {
            throw state.failure(value(), .misuse)
        }
        state.frame.count = 1
        return state.writer
    }

    mutating func encodeNil() throws { try begin("nil").writeNull() }
    mutating func encode(_ value: Bool) throws { try begin(value).write(value) }
    mutating func encode(_ value: String) throws { try begin(value).write(text: value) }
    mutating func encode(_ value: Double) throws { try begin(value).write(value) }
    mutating func encode(_ value: Float) throws { try begin(value).write(value) }
    mutating func encode(_ value: Int) throws { try begin(value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int8) throws { try begin(value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int16) throws { try begin(value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int32) throws { try begin(value).write(integer: Int64(value)) }
    mutating func encode(_ value: Int64) throws { try begin(value).write(integer: value) }
    mutating func encode(_ value: Int128) throws { try begin(value).write(integer: value) }
    mutating func encode(_ value: UInt) throws { try begin(value).write(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt8) throws { try begin(value).write(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt16) throws { try begin(value).write(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt32) throws { try begin(value).write(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt64) throws { try begin(value).write(unsigned: value) }
    mutating func encode(_ value: UInt128) throws { try begin(value).write(integer: value) }

    mutating func encode<T: Encodable>(_ value: T) throws {
        _ = try begin(value)
        do { try state.encodeInPlace(value) } catch {
            state.frame.count = 0
            throw error
        }
    }
}
