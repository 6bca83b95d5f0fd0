/// The containers that a type asks its decoder for.
extension DecodingState: Decoder {
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try keyed(at: position, type, [])
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try unkeyed(at: position, []) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueDecoding(state: self, offset: position)
    }

    func keyed<Key: CodingKey>(
        at offset: Int, _ type: Key.Type, _ inner: [any CodingKey]
    ) throws -> KeyedDecodingContainer<Key> {
        let first = entries.count
        do throws(CBORError) {
            try note(at: offset)
        } catch {
            throw translated(error, [String: Any].self, at: offset, path: codingPath + inner)
        }
        cursor = first
        return KeyedDecodingContainer(
            KeyedDecoding<Key>(state: self, first: first, count: entries.count - first, path: number(inner)))
    }

    func unkeyed(at offset: Int, _ inner: [any CodingKey]) throws -> UnkeyedDecoding {
        do throws(CBORError) {
            var reader = try reader(at: offset)
            if try reader.peek() == .bytes {
                return UnkeyedDecoding(state: self, inner: inner, blob: try reader.readBytes(), total: nil, position: 0)
            }
            let count = try reader.readArrayHead()
            return UnkeyedDecoding(state: self, inner: inner, blob: nil, total: count, position: reader.position)
        } catch {
            throw translated(error, [Any].self, at: offset, path: codingPath + inner)
        }
    }
}
