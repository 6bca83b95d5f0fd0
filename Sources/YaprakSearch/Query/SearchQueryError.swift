/// What is wrong with a query, and where.
///
///     do { query = try SearchQuery(parsing: field.text) } catch { status = error.description }
///     // a closing parenthesis is missing, at column 9
public struct SearchQueryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to write instead.
    public let message: String
    /// The query.
    public let source: String
    /// How many characters of the query stand before the place.
    public let offset: Int

    /// The place as people count: the first character stands in column 1.
    public var column: Int { offset + 1 }

    /// `message, at column n`.
    public var description: String { "\(message), at column \(column)" }
}
