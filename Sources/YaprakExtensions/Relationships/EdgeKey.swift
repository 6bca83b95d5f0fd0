import YaprakTrees

/// Two keys as one, so that all edges of the first stand together in the order of the second.
///
///     first  U+0000  second
///
/// U+0000 and U+0001 within a key are written as U+0001 U+0002 and U+0001 U+0003: the separator stands nowhere else, and what
/// begins with a key and the separator lies between that and the key with U+0001. Neither composes with what follows, so
/// two keys in NFC make one in NFC.
enum EdgeKey {
    static func make(_ first: String, _ second: String) -> String {
        var key = escaped(first)
        key.reserveCapacity(key.utf8.count + second.utf8.count + 1)
        key.append("\u{0}")
        key.append(escaped(second))
        return key
    }

    /// The positions of all edges of `first`. O(log *n*).
    static func range(of first: String, in tree: TreeRoot) -> Range<Int> {
        if tree.isEmpty { return 0..<0 }
        let stem = escaped(first)
        return tree.lowerBound(stem + "\u{0}")..<tree.lowerBound(stem + "\u{1}")
    }

    static func parts(_ row: TreeRow) -> (first: String, second: String) { (first(row), second(row)) }

    static func first(_ row: TreeRow) -> String { row.withKey { unescaped($0.prefix { $0 != 0 }) } }

    static func second(_ row: TreeRow) -> String { row.withKey { unescaped($0.drop { $0 != 0 }.dropFirst()) } }

    private static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 < 2 }) else { return key }
        var result = String.UnicodeScalarView()
        for scalar in key.unicodeScalars {
            if scalar.value < 2 {
                result.append("\u{1}")
                result.append(scalar.value == 0 ? "\u{2}" : "\u{3}")
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func unescaped(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let part = String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
        guard bytes.contains(1) else { return part }
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in part.unicodeScalars {
            if isEscaped {
                result.append(scalar == "\u{2}" ? "\u{0}" : "\u{1}")
                isEscaped = false
            } else if scalar == "\u{1}" {
                isEscaped = true
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
