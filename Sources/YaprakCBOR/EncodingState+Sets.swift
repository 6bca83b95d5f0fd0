/// What the standard library encodes as an array, in an order that is another one in each instance.
private protocol UnorderedElements {
    /// The items of one element.
    static var itemsPerElement: Int { get }
}

extension Set: UnorderedElements {
    fileprivate static var itemsPerElement: Int { 1 }
}

/// Where the keys are neither texts nor integers: then each is an item before its value.
extension Dictionary: UnorderedElements {
    fileprivate static var itemsPerElement: Int { 2 }
}

extension EncodingState {
    /// Puts the elements of a set that was just written at `start` into the order of their bytes; other values stay as they are.
    /// - Complexity: O(*n* log *n*) for the bytes of a set.
    func sortElements<T>(of value: T, from start: Int) {
        guard let type = T.self as? any UnorderedElements.Type else { return }
        let bytes = writer.withBytes { [UInt8]($0[start...]) }
        let elements = bytes.withUnsafeBytes { Self.elements(in: $0, type.itemsPerElement) }
        guard let first = elements.first else { return }
        writer.truncate(to: start + first.lowerBound)
        for element in elements.sorted(by: { bytes[$0].lexicographicallyPrecedes(bytes[$1]) }) {
            bytes[element].withUnsafeBytes { writer.raw($0) }
        }
    }

    /// Where the elements of an array lie; none if it is no array.
    private static func elements(in bytes: UnsafeRawBufferPointer, _ itemsPerElement: Int) -> [Range<Int>] {
        guard let head = try? Head(bytes, at: 0), head.major == Major.array else { return [] }
        var elements: [Range<Int>] = []
        var start = head.end
        while start < bytes.count {
            var end = start
            for _ in 0..<itemsPerElement {
                guard let length = try? CBORItem.length(of: bytes, from: end) else { return [] }
                end += length
            }
            elements.append(start..<end)
            start = end
        }
        return elements
    }
}
