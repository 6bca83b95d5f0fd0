/// The number of a commit: 1, 2, 3, … without gaps, for the life of a database, across launches.
///
/// `0` is the state before the first commit: an empty database.
///
///     let newest: CommitNumber = database.commitNumber
///     print(newest, newest.rawValue)          // 42 42
public struct CommitNumber: RawRepresentable, Hashable, Comparable, Sendable, Codable,
    ExpressibleByIntegerLiteral, CustomStringConvertible
{
    /// The number itself.
    public let rawValue: UInt64

    /// Wraps a number. O(1).
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Wraps a number. O(1).
    @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Writes a commit number as a plain literal. O(1).
    @inlinable public init(integerLiteral value: UInt64) { rawValue = value }

    /// Orders commits by time: an earlier commit is smaller. O(1).
    @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The number in decimal digits.
    public var description: String { String(rawValue) }

    /// The commit after this one. O(1).
    @inlinable public func next() -> CommitNumber { CommitNumber(rawValue + 1) }

    /// The state before the first commit.
    @inlinable public static var zero: CommitNumber { 0 }
}
