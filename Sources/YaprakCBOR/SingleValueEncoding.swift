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
