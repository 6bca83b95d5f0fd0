/// The encoder that types see: the place of one item.
///
/// One that was kept, and is used when its value has ended, writes nothing: its containers throw, and the value that is being
/// encoded by then fails as well, for a container that stays empty says nothing.
struct ItemEncoder: Encoder {
    let state: EncodingState
    /// That of the frame it was made for.
    let serial: Int

    var codingPath: [any CodingKey] { state.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { state.userInfo }
    /// Whether a value may stand here as the item itself.
    var takesItem: Bool { state.frame.serial != serial || state.frame.kind == .empty || state.frame.kind == .single }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        open(.keyed)
        return KeyedEncodingContainer(KeyedEncoding<Key>(state: state, serial: serial))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        open(.unkeyed)
        return UnkeyedEncoding(state: state, serial: serial)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        open(.single)
        return SingleValueEncoding(state: state, serial: serial)
    }

    @inline(__always)
    private func open(_ kind: EncodingState.Kind) {
        if state.frame.serial == serial { state.open(kind) } else { state.frame.fault = .misuse }
    }
}
