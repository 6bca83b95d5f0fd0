public import YaprakModel

/// A stretch of a database's history, written as in git.
///
///     let range = try LogRange("@{yesterday}..@")
///     if let numbers = try reader.commitNumbers(in: range) { print(numbers.lowerBound, "to", numbers.upperBound) }
///
/// | written | means |
/// | --- | --- |
/// | `a..b` | the commits after `a`, up to and including `b` |
/// | `a..` | the commits after `a` |
/// | `..b`, `b` | the commits from the beginning, up to and including `b` |
///
/// Both ends are a ``LogPosition``, or none. What stands between `a` and `b` is what turns the one state into the other.
public struct LogRange: Sendable, Hashable {
    /// The commit before the first; `nil` for the beginning.
    public let after: LogPosition?
    /// The last commit; `nil` for the newest there is.
    public let through: LogPosition?

    /// The commits after one, up to and including another.
    public init(after: LogPosition? = nil, through: LogPosition? = nil) {
        self.after = after
        self.through = through
    }

    /// Reads a range.
    ///
    /// - Throws: `invalidPosition`, with what was expected. - Complexity: O(length).
    public init(_ text: String) throws(DatabaseError) {
        guard let dots = Self.dots(in: text) else {
            self.init(through: try LogPosition(text))
            return
        }
        let low = text[..<dots.lowerBound], high = text[dots.upperBound...]
        self.init(
            after: low.isEmpty ? nil : try LogPosition(String(low)),
            through: high.isEmpty ? nil : try LogPosition(String(high)))
    }

    /// The two dots that are not part of a time.
    private static func dots(in text: String) -> Range<String.Index>? {
        let bytes = text.utf8
        var isTime = false
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let next = bytes.index(after: index)
            switch bytes[index] {
            case UInt8(ascii: "{"): isTime = true
            case UInt8(ascii: "}"): isTime = false
            case UInt8(ascii: ".") where !isTime && next < bytes.endIndex && bytes[next] == UInt8(ascii: "."):
                return index..<bytes.index(after: next)
            default: break
            }
            index = next
        }
        return nil
    }
}

extension LogRange: CustomStringConvertible {
    /// The range in its shortest form; reading that gives the same range.
    public var description: String {
        if let through, after == nil { return through.description }
        return "\(after?.description ?? "")..\(through?.description ?? "")"
    }
}
