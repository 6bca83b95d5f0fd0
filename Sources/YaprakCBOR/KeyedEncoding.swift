/// A map that is being written.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.codingPath }

    @inline(__always)
    private func begin(_ key: some CodingKey, _ value: @autoclosure () -> Any) throws -> CBORWriter {
        guard state.frame.serial == serial, state.frame.kind == .keyed else { throw state.refusal(value()) }
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

    /// - Parameter continuing: whether a container that is already under the key is continued.
    private func branch(_ key: some CodingKey, continuing: Bool) -> ItemEncoder {
        guard state.frame.serial == serial, state.frame.kind == .keyed else { return state.discarded(under: key) }
        state.beginEntry(key.stringValue)
        if continuing, let earlier = state.continued(under: key) { return earlier }
        return state.branch(under: key)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { branch(key, continuing: true).container(keyedBy: type) }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        branch(key, continuing: true).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { branch(SuperKey(), continuing: false) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { branch(key, continuing: false) }
}
