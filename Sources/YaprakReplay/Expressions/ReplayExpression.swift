public import YaprakCBOR
public import YaprakCore

/// A question about a database as of one commit, or about one of its records, without the program's types.
///
///     let isBad = try ReplayExpression("any(flights, .delay < 0)", about: .snapshot)
///     print(try isBad.holds(in: reader.snapshot(at: 42)))
///
/// Total: whatever is stored, an expression has a value. What isn't there is null, values of different kinds are never
/// equal and never in order, arithmetic of what are no numbers is null. Only `true` counts as true. The page
/// "Expressions" of the catalog has the grammar.
///
/// Two expressions are equal if they are written the same but for spaces and superfluous parentheses.
public struct ReplayExpression: Sendable, Hashable {
    /// What an expression is asked of.
    public enum Subject: Sendable, Hashable {
        /// The whole database. Records are reached through the names of collections.
        case snapshot
        /// One record: `.` is its object, `$key` its key. The rest of the database can be reached, too.
        case record
    }

    let root: ExpressionNode
    /// What it is asked of.
    public let subject: Subject

    /// Parses an expression.
    ///
    /// - Throws: ``ReplayExpressionError`` with the column. Any text gives an expression or an error: one of more than
    ///   ``byteCountMax`` bytes, or nested deeper than ``depthMax``, is refused.
    /// - Complexity: O(bytes).
    public init(_ text: String, about subject: Subject) throws(ReplayExpressionError) {
        var parser = try ExpressionParser(text, subject)
        root = try parser.parse()
        self.subject = subject
    }

    init(root: ExpressionNode, subject: Subject) {
        self.root = root
        self.subject = subject
    }

    /// Whether a collection has a record under a key.
    public static func exists(_ key: String, inCollectionNamed name: String) -> ReplayExpression {
        let record = ExpressionNode.path(.collection(name), [.index(.literal(.text(key)))])
        return ReplayExpression(root: .call(.exists, [record]), subject: .snapshot)
    }

    /// The most bytes that an expression may have.
    public static let byteCountMax = 16 << 10
    /// The most levels that an expression may be nested.
    public static let depthMax = 64

    /// Whether the expression is true of the database as of a commit.
    ///
    /// - Precondition: ``subject`` is the snapshot.
    /// - Complexity: that of what it asks: O(log *n*) for a record, O(bytes) for all records of a collection.
    public func holds(in snapshot: Snapshot) -> Bool { value(in: snapshot) == .bool(true) }

    /// The value of the expression for the database as of a commit; null where there is none. Costs as
    /// ``holds(in:)``.
    public func value(in snapshot: Snapshot) -> CBORValue {
        precondition(subject == .snapshot, "an expression about a record is asked of a record")
        return ExpressionEvaluator(snapshot).value(of: root, for: nil) ?? .null
    }

    /// Whether the expression is true of a record of a database as of a commit. Costs as ``holds(in:)``.
    /// - Precondition: ``subject`` is the record.
    public func holds(for record: ReplayRecord, in snapshot: Snapshot) -> Bool {
        value(for: record, in: snapshot) == .bool(true)
    }

    /// The value of the expression for a record; null where there is none. Costs as ``holds(in:)``.
    /// - Precondition: ``subject`` is the record.
    public func value(for record: ReplayRecord, in snapshot: Snapshot) -> CBORValue {
        precondition(subject == .record, "an expression about the whole database is asked of a snapshot")
        let element = ExpressionElement(record)
        return ExpressionEvaluator(snapshot).value(of: root, for: element) ?? .null
    }
}

extension ReplayExpression: CustomStringConvertible {
    /// The expression as text that parses to an equal one. O(size).
    public var description: String { root.text(in: .or) }
}

/// Why a text is no expression, and where.
public struct ReplayExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to write instead.
    public let message: String
    /// The text.
    public let source: String
    /// How many characters of the text stand before the place.
    public let offset: Int

    /// The place as people count: the first character stands in column 1.
    public var column: Int { offset + 1 }

    /// `message, at column n`.
    public var description: String { "\(message), at column \(column)" }
}
