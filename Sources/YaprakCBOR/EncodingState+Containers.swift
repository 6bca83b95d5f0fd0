// What the containers write: they begin an item, and the pairs or the bytes in it.
extension EncodingState {
    /// The encoder of the item that is current now.
    var encoder: ItemEncoder { ItemEncoder(state: self, serial: frame.serial) }

    /// Begins the container of this item, or continues it if a superclass began it.
    func open(_ kind: Kind) {
        if frame.kind == .empty {
            frame.kind = kind
            if kind == .single { return }
            _ = writer.openHead()
            if frame.depth >= depthMax {
                frame.kind = .refused
                frame.fault = .tooDeep
            }
        } else if frame.kind != kind, frame.kind != .refused {
            frame.fault = .misuse
        }
    }

    /// The error of a container that can't write: its item is another one by now, or is nested too deep. A type that goes on
    /// within itself without end is stopped by it.
    @inline(never)
    func refusal(_ value: Any) -> EncodingError { failure(value, frame.fault == .tooDeep ? .tooDeep : .misuse) }

    /// Writes the key of the next pair.
    @inline(__always)
    func beginEntry(_ key: String) {
        let offset = writer.count
        writer.write(text: key)
        var prefix = UInt64(bigEndian: (writer.base + offset).loadUnaligned(as: UInt64.self))
        let length = writer.count &- offset
        if length < 8 { prefix &= ~(UInt64.max >> UInt64(truncatingIfNeeded: 8 &* length)) }
        entries.push(Entry(prefix: prefix, key: offset, value: writer.count, end: 0))
        frame.count &+= 1
    }

    /// Removes the key whose value could not be encoded.
    func abandonEntry() {
        guard entries.count > frame.entriesBase else { return }
        writer.truncate(to: entries.base[entries.count - 1].key)
        entries.cut(to: entries.count - 1)
        frame.count -= 1
    }

    /// Writes bytes that become a byte string if nothing follows.
    func beginBlob(_ bytes: some Sequence<UInt8>) {
        let before = writer.count
        let done: Void? = bytes.withContiguousStorageIfAvailable { writer.raw(UnsafeRawBufferPointer($0)) }
        if done == nil { for byte in bytes { writer.byte(byte) } }
        frame.isBlob = true
        frame.count = writer.count - before
    }

    /// Turns the bytes into items of an array, because something follows.
    func endBlob() {
        guard frame.isBlob else { return }
        frame.isBlob = false
        let start = frame.start
        let bytes = writer.withBytes { Array($0[(start + 1)...]) }
        writer.truncate(to: start + 1)
        for byte in bytes { writer.write(unsigned: UInt64(byte)) }
    }
}
