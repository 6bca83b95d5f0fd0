public import YaprakCBOR
public import YaprakCore

/// A question about a database as of one commit, or about one of its records, without the program's types.
///
///     let isBad = try ReplayExpression("any(flights, .delay < 0)", about: .snapshot)
///     print(try isBad.holds(in: reader.snapshot(at: 42)))
///
/// Total: whatever is stored, an expression has a value. What isn't there is null, values of different kinds are never
/// equal and never in order, arithmetic of what are no numbers is null. Only `true` counts as true. The page
/// "Query expressions" of the catalog has the grammar.
///
/// Two expressions are equal if they are written the same but for spaces and superfluous parentheses.
public struct ReplayExpression: Sendable, Hashable {
    /// What an expression is asked of.
    public enum Subject: Sendable, Hashable {
        /// The whole database. Records are reached through the names of collections.
        case snapshot
        /// One record: `.` is its object, `$key` its key. The rest of the database can be reached, too.
        case record
        /// What a commit did to one record: `before` and `after` are its objects, `.` is the one after, or, if it was
        /// removed, the one before. `a became b` is true if `a` is `b` after the commit and was not before it.
        case change
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

    /// The same, unless it takes so long that nobody waits for it any more; asks now and then.
    ///
    /// - Returns: `nil` if `isCancelled` was true.
    package func holds(in snapshot: Snapshot, unless isCancelled: @escaping () -> Bool) -> Bool? {
        value(in: snapshot, unless: isCancelled).map { $0 == .bool(true) }
    }

    /// The value of the expression for the database as of a commit; null where there is none. Costs as
    /// ``holds(in:)``.
    public func value(in snapshot: Snapshot) -> CBORValue {
        precondition(subject == .snapshot, "an expression about a record is asked of a record")
        return ExpressionEvaluator(snapshot).value(of: root, for: nil) ?? .null
    }

    /// The same, unless it takes so long that nobody waits for it any more; asks before each record of a
    /// collection and each element of an array or a map.
    ///
    /// - Returns: `nil` if `isCancelled` was true.
    package func value(in snapshot: Snapshot, unless isCancelled: @escaping () -> Bool) -> CBORValue? {
        precondition(subject == .snapshot, "an expression about a record is asked of a record")
        let value = ExpressionEvaluator(snapshot, isCancelled: isCancelled).value(of: root, for: nil)
        // A `nil` beside a value would be its null.
        if isCancelled() { return Optional.none }
        return value ?? .null
    }

    /// Whether the expression is true of a record of a database as of a commit. Costs as ``holds(in:)``.
    /// - Precondition: ``subject`` is the record.
    public func holds(for record: ReplayRecord, in snapshot: Snapshot) -> Bool {
        value(for: record, in: snapshot) == .bool(true)
    }

    /// The same, unless it takes so long that nobody waits for it any more; asks now and then, and at the end.
    ///
    /// - Returns: `nil` if `isCancelled` was true.
    package func holds(
        for record: ReplayRecord, in snapshot: Snapshot, unless isCancelled: @escaping () -> Bool
    ) -> Bool? {
        value(for: record, in: snapshot, unless: isCancelled).map { $0 == .bool(true) }
    }

    /// The value of the expression for a record; null where there is none. Costs as ``holds(in:)``.
    /// - Precondition: ``subject`` is the record.
    public func value(for record: ReplayRecord, in snapshot: Snapshot) -> CBORValue {
        precondition(subject == .record, "an expression about the whole database is asked of a snapshot")
        let element = ExpressionElement(record)
        return ExpressionEvaluator(snapshot).value(of: root, for: element) ?? .null
    }

    /// The same, unless it takes so long that nobody waits for it any more; asks now and then, and at the end.
    ///
    /// - Returns: `nil` if `isCancelled` was true.
    package func value(
        for record: ReplayRecord, in snapshot: Snapshot, unless isCancelled: @escaping () -> Bool
    ) -> CBORValue? {
        precondition(subject == .record, "an expression about the whole database is asked of a snapshot")
        let evaluator = ExpressionEvaluator(snapshot, isCancelled: isCancelled)
        let value = evaluator.value(of: root, for: ExpressionElement(record))
        // A `nil` beside a value would be its null.
        if isCancelled() { return Optional.none }
        return value ?? .null
    }

    /// Whether the expression is true of what became of a record from one state of the database to another.
    ///
    ///     let landed = try ReplayExpression(".status became 'landed'", about: .change)
    ///     for change in step.changes where landed.holds(from: change.before, in: step.before, to: change.after, in:
    /// step.after) { … }
    ///
    /// - Parameters:
    ///   - old: the record before; `nil` if it was not there.
    ///   - before: the state before the change.
    ///   - new: the record after; `nil` if it is gone.
    ///   - after: the state after the change.
    /// - Precondition: ``subject`` is the change. - Complexity: as ``holds(in:)``.
    public func holds(
        from old: ReplayRecord?, in before: Snapshot, to new: ReplayRecord?, in after: Snapshot
    ) -> Bool {
        holds(from: old, in: before, to: new, in: after, isCancelled: nil)
    }

    /// The same, unless it takes so long that nobody waits for it any more; asks now and then, and at the end.
    ///
    /// - Returns: `nil` if `isCancelled` was true.
    package func holds(
        from old: ReplayRecord?, in before: Snapshot, to new: ReplayRecord?, in after: Snapshot,
        unless isCancelled: @escaping () -> Bool
    ) -> Bool? {
        let isTrue = holds(from: old, in: before, to: new, in: after, isCancelled: isCancelled)
        return isCancelled() ? nil : isTrue
    }

    private func holds(
        from old: ReplayRecord?, in before: Snapshot, to new: ReplayRecord?, in after: Snapshot,
        isCancelled: (() -> Bool)?
    ) -> Bool {
        precondition(subject == .change, "an expression about a record is asked of a record")
        let change = ExpressionChange(
            before: old.map { ExpressionElement($0) }, after: new.map { ExpressionElement($0) }, past: before)
        let evaluator = ExpressionEvaluator(after, change, isCancelled: isCancelled)
        return evaluator.value(of: root, for: change.after ?? change.before) == .bool(true)
    }

    /// The values of the expression for groups of records, each evaluated as if the collections it looks through had the records
    /// of the group alone. A record that is named by its key is found in any group.
    ///
    ///     let late = try ReplayExpression("average(flights, .delay)", about: .snapshot)
    ///     for (carrier, delay) in late.values(in: snapshot, by: try ReplayExpression(".carrier", about: .record)) { … }
    ///
    /// - Parameters:
    ///   - snapshot: the state.
    ///   - group: what makes a record one of a group: those with the same value are one, as `==` of expressions says, and so
    ///     are those that are no number.
    /// - Returns: a value for each group, in the order of null, truth values, numbers, texts and the rest. The value of a group
    ///   has no tags, null instead of undefined, and integers where floats are whole.
    /// - Precondition: ``subject`` is the snapshot, that of `group` is the record.
    /// - Complexity: O(bytes of the collections), and 8 bytes of memory for each record.
    public func values(in snapshot: Snapshot, by group: ReplayExpression) -> [(group: CBORValue, value: CBORValue)] {
        groupValues(in: snapshot, by: group, isCancelled: nil) ?? []
    }

    /// The same, unless it takes so long that nobody waits for it any more; asks before each record.
    ///
    /// - Returns: `nil` if `isCancelled` was true.
    package func values(
        in snapshot: Snapshot, by group: ReplayExpression, unless isCancelled: @escaping () -> Bool
    ) -> [(group: CBORValue, value: CBORValue)]? {
        groupValues(in: snapshot, by: group, isCancelled: isCancelled)
    }

    private func groupValues(
        in snapshot: Snapshot, by group: ReplayExpression, isCancelled: (() -> Bool)?
    ) -> [(group: CBORValue, value: CBORValue)]? {
        precondition(subject == .snapshot && group.subject == .record, "records make groups of a database")
        let evaluator = ExpressionEvaluator(snapshot, isCancelled: isCancelled)
        var groups: [CBORValue: [String: [Int]]] = [:]
        for name in collectionNames.sorted() {
            for (position, record) in snapshot.untyped(name).enumerated() {
                if isCancelled?() == true { return nil }
                let value = evaluator.value(of: group.root, for: ExpressionElement(record)) ?? .null
                groups[value.normalized, default: [:]][name, default: []].append(position)
            }
        }
        var values: [(group: CBORValue, value: CBORValue)] = []
        for (group, positions) in groups {
            let evaluator = ExpressionEvaluator(snapshot, parts: positions, isCancelled: isCancelled)
            values.append((group, evaluator.value(of: root, for: nil) ?? .null))
        }
        if isCancelled?() == true { return nil }
        return values.sorted { $0.group.sortOrder(to: $1.group) < 0 }
    }

    /// The names of the collections that the expression reads. O(size).
    public var collectionNames: Set<String> {
        var names: Set<String> = []
        root.collectCollections(into: &names)
        return names
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
