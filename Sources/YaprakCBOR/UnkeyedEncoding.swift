/// An array that is being written.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.codingPath }
    var count: Int { state.frame.serial == serial ? state.frame.count : 0 }

    @inline(__always)
    private func begin(_ value: @autoclosure () -> Any) throws -> CBORWriter {
        guard state.frame.serial == serial, state.frame.kind == .unkeyed else { throw state.refusal(value()) }
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
        guard state.frame.serial == serial, state.frame.kind == .unkeyed else { throw state.refusal(bytes) }
        if state.frame.count == 0, !state.frame.isBlob { return state.beginBlob(bytes) }
        for byte in bytes { try encode(byte) }
    }

    private func branch() -> ItemEncoder {
        guard state.frame.serial == serial, state.frame.kind == .unkeyed else {
            return state.discarded(under: IndexKey(count))
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
