import YaprakModel
import YaprakTrees

/// The keys of a section as they stand in the file: each has more to say than the one before, byte by byte.
///
/// A writer puts them down in the order of its tree, so another order, or a key that comes twice, was written by no
/// version of this program. Because of it the memory that records take is in proportion to the size of the file:
/// different keys don't compress to nothing.
struct AscendingKeys {
    private(set) var first: String?
    private(set) var last: String?

    /// Takes the next key.
    /// - Throws: `corruptCheckpoint` if it does not come behind the last one.
    mutating func add(_ key: String) throws {
        try check(key)
        first = first ?? key
        last = key
    }

    /// Takes the keys of the next chunk, which were read on their own.
    mutating func add(_ next: AscendingKeys) throws {
        guard let key = next.first else { return }
        try check(key)
        first = first ?? key
        last = next.last
    }

    private func check(_ key: String) throws {
        guard let last, !last.precedesInBytes(key) else { return }
        throw DatabaseError(
            .corruptCheckpoint,
            key.precedesInBytes(last) == false
                ? "Two records of a checkpoint have the key \(key.debugDescription). Restore a backup."
                : "The record \(key.debugDescription) of a checkpoint stands behind \(last.debugDescription), out of order. "
                    + "Restore a backup.",
            place: .init(key: key))
    }
}

extension String {
    /// Whether the UTF-8 of this string is less than that of another, as memory compares. O(length).
    package func precedesInBytes(_ other: String) -> Bool {
        withKeyBytes { a in other.withKeyBytes { b in a.lexicographicallyPrecedes(b) } }
    }
}
