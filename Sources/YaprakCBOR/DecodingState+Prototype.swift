// Values of keys that an item lacks, from a whole item of the same type.
extension DecodingState {
    /// The offset of what the prototype has under `key` in the container at `path`; nil if it has nothing there.
    @inline(never)
    func prototypeOffset(of key: any CodingKey, _ path: @autoclosure () -> [any CodingKey]) -> Int? {
        guard var offset = prototype else { return nil }
        for step in path() + [key] {
            guard let next = try? child(of: offset, step) else { return nil }
            offset = next
        }
        return offset
    }

    /// The offset of the value under a key of the map at `offset`, or of the first item of the array there.
    private func child(of offset: Int, _ key: any CodingKey) throws(CBORError) -> Int? {
        var reader = try reader(at: offset)
        if try reader.peek() == .array {
            if try reader.readArrayHead() == 0 { return nil }
            return try reader.peek() == .stop ? nil : reader.position
        }
        var left = try reader.readMapHead() ?? .max
        while left > 0, try reader.peek() != .stop {
            let name = try CBORValue(&reader)
            if name.text == key.stringValue || name.integer != nil && name.integer == key.intValue.map(Int64.init) {
                return reader.position
            }
            try reader.skip()
            left -= 1
        }
        return nil
    }
}
