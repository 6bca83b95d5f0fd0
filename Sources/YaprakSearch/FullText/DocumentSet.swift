/// A set of documents by their numbers: one bit each.
package struct DocumentSet: Sendable {
    package private(set) var words: [UInt64]

    init(capacity: Int) { words = Array(repeating: 0, count: (capacity + 63) / 64) }

    @inline(__always)
    mutating func insert(_ document: UInt32) {
        words[Int(document >> 6)] |= 1 << UInt64(document & 63)
    }

    /// Hands out the words, to set bits of many documents.
    @inline(__always)
    mutating func withWords(_ body: (UnsafeMutableBufferPointer<UInt64>) -> Void) {
        words.withUnsafeMutableBufferPointer { body($0) }
    }

    mutating func remove(_ document: UInt32) { words[Int(document >> 6)] &= ~(1 << UInt64(document & 63)) }

    @inline(__always)
    package func contains(_ document: UInt32) -> Bool {
        let word = Int(document >> 6)
        return word < words.count && words[word] >> UInt64(document & 63) & 1 == 1
    }

    mutating func formIntersection(_ other: DocumentSet) {
        for index in words.indices { words[index] &= other.words[index] }
    }

    mutating func formUnion(_ other: DocumentSet) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    mutating func subtract(_ other: DocumentSet) {
        for index in words.indices { words[index] &= ~other.words[index] }
    }

    /// Whether it has no document. O(capacity), up to the first that it has.
    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Calls `body` with each document, ascending.
    @inline(__always)
    package func forEach(_ body: (UInt32) -> Void) {
        for index in words.indices {
            var word = words[index]
            while word != 0 {
                body(UInt32(index << 6 | word.trailingZeroBitCount))
                word &= word &- 1
            }
        }
    }
}
