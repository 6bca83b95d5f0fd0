/// The decoder that types see: an item, by its offset.
///
/// A type may keep its decoder, or a container of it, and use it when its own `init(from:)` has returned:
///
///     init(from decoder: any Decoder) throws { self.decoder = decoder }
///
/// By then the state reads something else. The number of the value says so: what was kept continues in a state of its own
/// (``DecodingState/kept(at:)``), which reads the same item. After the call of the root decoder it gives errors; one of a byte
/// of a byte string does so when its `init(from:)` has returned.
///
/// Three words, which `any Decoder` holds without an allocation.
struct ItemDecoder: Decoder {
    let state: DecodingState
    /// -1 is the null that represents an absent superclass.
    let offset: Int
    /// The number of the value that it was made for.
    let value: Int

    /// Whether the state decodes another value than this was made for.
    @inline(__always)
    var isKept: Bool { state.value != value }

    /// The same item, of a state that decodes nothing else.
    @inline(never)
    func moved() -> ItemDecoder {
        var state = state.kept(at: offset)
        // A type that uses again what it kept, while it is decoded from that.
        while state.value != 0 { state = state.kept(at: offset) }
        return ItemDecoder(state: state, offset: offset, value: 0)
    }

    var codingPath: [any CodingKey] { isKept ? moved().state.codingPath : state.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { state.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if isKept { return KeyedDecodingContainer(try moved().keyedOfKept(type)) }
        return try state.keyed(at: offset, type, [])
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try (isKept ? moved().state : state).unkeyed(at: offset, [])
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleValueDecoding(item: self) }

    /// The container of a map that was moved. Its pairs are recorded once, for it may be asked for each field.
    func keyedOfKept<Key: CodingKey>(_ type: Key.Type) throws -> KeyedDecoding<Key> {
        if let (first, count) = state.ownPairs {
            return KeyedDecoding(item: self, first: first, count: count, path: 0)
        }
        let pairs = try state.pairs(at: offset, [])
        state.ownPairs = pairs
        return KeyedDecoding(item: self, first: pairs.first, count: pairs.count, path: 0)
    }
}

extension DecodingState {
    /// Records the pairs of the map at `offset`.
    @inline(__always)
    fileprivate func pairs(at offset: Int, _ inner: [any CodingKey]) throws -> (first: Int, count: Int) {
        let first = entries.count
        do throws(CBORError) {
            try note(at: offset)
        } catch {
            throw translated(error, [String: Any].self, at: offset, path: codingPath + inner)
        }
        cursor = first
        return (first, entries.count - first)
    }

    func keyed<Key: CodingKey>(
        at offset: Int, _ type: Key.Type, _ inner: [any CodingKey]
    ) throws -> KeyedDecodingContainer<Key> {
        let (first, count) = try pairs(at: offset, inner)
        return KeyedDecodingContainer(
            KeyedDecoding<Key>(
                item: ItemDecoder(state: self, offset: offset, value: value), first: first, count: count,
                path: number(inner)))
    }

    func unkeyed(at offset: Int, _ inner: [any CodingKey]) throws -> UnkeyedDecoding {
        let item = ItemDecoder(state: self, offset: offset, value: value)
        do throws(CBORError) {
            var reader = try reader(at: offset)
            if try reader.peek() == .bytes {
                return UnkeyedDecoding(item: item, inner: inner, blob: try reader.readBytes(), total: nil, position: 0)
            }
            let count = try reader.readArrayHead()
            return UnkeyedDecoding(item: item, inner: inner, blob: nil, total: count, position: reader.position)
        } catch {
            throw translated(error, [Any].self, at: offset, path: codingPath + inner)
        }
    }
}
