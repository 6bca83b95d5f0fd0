/// The coding path of an item of which nothing but its offset is known.
extension DecodingState {
    /// The keys to the item at `offset`, from the outermost item on.
    /// - Complexity: O(bytes) times the nesting of containers: it is asked for by errors only, and for a prototype.
    @inline(never)
    func path(to offset: Int) -> [any CodingKey] {
        // What stands behind the start of the prototype is in the prototype.
        var path: [any CodingKey] = [], place = prototype.map { offset < $0 ? 0 : $0 } ?? 0
        while place < offset, let (key, next) = try? step(from: place, to: offset) {
            path.append(key)
            place = next
        }
        return path
    }

    /// The item of the container at `place` that holds `offset`.
    private func step(from place: Int, to offset: Int) throws(CBORError) -> (key: ItemKey, place: Int)? {
        var reader = try reader(at: place)
        let isMap = try reader.peek() == .map
        let count = isMap ? try reader.readMapHead() : try reader.readArrayHead()
        var index = 0
        while index != count, try reader.peek() != .stop {
            let key = isMap ? ItemKey(try CBORValue(&reader)) : ItemKey(index: index)
            let item = reader.position
            guard item <= offset else { return nil }
            try reader.skip()
            if offset < reader.position { return (key, item) }
            index += 1
        }
        return nil
    }
}

/// A key as it stands in the bytes.
private struct ItemKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ key: CBORValue) {
        intValue = key.integer.flatMap { Int(exactly: $0) }
        stringValue = key.text ?? key.description
    }
    init(index: Int) {
        stringValue = IndexKey(index).stringValue
        intValue = index
    }
    init(stringValue: String) { self.init(.text(stringValue)) }
    init(intValue: Int) { self.init(.integer(Int64(intValue))) }
}
