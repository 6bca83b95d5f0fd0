/// The decoder that types see: an item, by its offset.
///
/// A type may keep its decoder, or a container of it, and use it while the state decodes another value. The number of the value
/// says so, and there are two cases.
///
/// The value that it was made for still decodes itself, and a value within it uses it:
///
///     init(from decoder: any Decoder) throws { parent = try (decoder.userInfo[.parent] as! Parent).container.decode(…) }
///
/// Then the state reads on, with the keys of the outer value in the place of its own.
///
/// Its `init(from:)` has returned:
///
///     init(from decoder: any Decoder) throws { self.decoder = decoder }
///
/// Then it continues in a state of its own (``DecodingState/kept(at:)``), which reads the same item. After the call of the root
/// decoder it gives errors; one of a byte of a byte string does so when its `init(from:)` has returned.
///
/// Three words, which `any Decoder` holds without an allocation.
struct ItemDecoder: Decoder {
    let state: DecodingState
    /// -1 is the null that represents an absent superclass.
    let offset: Int
    /// The number of the value that it was made for; 0 is the one that a branch or a state of what was kept begins with.
    let value: Int

    /// Whether the state decodes the value that this was made for.
    @inline(__always)
    var isCurrent: Bool { state.value == value }

    /// The same item, of a state that has not left it.
    @inline(never)
    func resumed() -> ItemDecoder {
        if state.isRunning(value) { return self }
        return ItemDecoder(state: state.kept(at: offset), offset: offset, value: 0)
    }

    var codingPath: [any CodingKey] { isCurrent ? state.codingPath : resumed().pathOfValue }
    var userInfo: [CodingUserInfoKey: Any] { state.userInfo }

    /// The keys to the value of a decoder that was resumed.
    var pathOfValue: [any CodingKey] { state.codingPath(of: value) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if isCurrent { return try state.keyed(at: offset, type, []) { .none } }
        let here = resumed()
        return KeyedDecodingContainer(try here.state.keyedOnce(at: offset, type, here.pathOfValue))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let here = isCurrent ? self : resumed()
        return try here.state.unkeyed(at: offset, [], of: here.value)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleValueDecoding(item: self) }
}

extension DecodingState {
    /// - Parameters:
    ///   - inner: the keys between the value and the container, for an error.
    ///   - path: the same as they are kept, asked for once the pairs are read: what fails keeps nothing.
    @inline(__always)
    func keyed<Key: CodingKey>(
        at offset: Int, _ type: Key.Type, _ inner: @autoclosure () -> [any CodingKey], path: () -> InnerPath
    ) throws -> KeyedDecodingContainer<Key> {
        let (first, count) = try pairs(at: offset, path: codingPath + inner())
        return KeyedDecodingContainer(
            KeyedDecoding<Key>(state: self, place: offset, value: value, first: first, count: count, path: path()))
    }

    /// The container of a map within an item that this is not at: of an outer value, or one that was kept. Its pairs are
    /// recorded once for all of them, by a state that keeps them.
    @inline(never)
    func keyedOnce<Key: CodingKey>(
        at offset: Int, _ type: Key.Type, _ path: @autoclosure () -> [any CodingKey]
    ) throws -> KeyedDecoding<Key> {
        let (state, pairs) = try keptPairs(at: offset, path: path())
        return KeyedDecoding(
            state: state, place: offset, value: 0, first: pairs.first, count: pairs.count, path: .none)
    }

    /// The list at `offset`, for a value of this state that decodes itself.
    func unkeyed(at offset: Int, _ inner: [any CodingKey], of value: Int) throws -> UnkeyedDecoding {
        let item = ItemDecoder(state: self, offset: offset, value: value)
        do throws(CBORError) {
            var reader = try reader(at: offset)
            if try reader.peek() == .bytes {
                return UnkeyedDecoding(item: item, inner: inner, blob: try reader.readBytes(), total: nil, position: 0)
            }
            let count = try reader.readArrayHead()
            return UnkeyedDecoding(item: item, inner: inner, blob: nil, total: count, position: reader.position)
        } catch {
            throw translated(error, [Any].self, at: offset, path: codingPath(of: value) + inner)
        }
    }
}
