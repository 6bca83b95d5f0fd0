/// The containers that a type asks its encoder for.
extension EncodingState: Encoder {
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        open(.keyed)
        return KeyedEncodingContainer(KeyedEncoding<Key>(state: self, serial: frame.serial))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        open(.unkeyed)
        return UnkeyedEncoding(state: self, serial: frame.serial)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        open(.single)
        return SingleValueEncoding(state: self, serial: frame.serial)
    }
}
