import YaprakCBOR
import YaprakCore
import YaprakModel

extension ReplayRevert {
    /// What of some commits is to be reverted.
    ///
    ///     var choice = ReplayRevert.Choice()
    ///     choice.condition = try ReplayExpression(".delay < 0 and before.delay == null", about: .change)
    ///     choice.fields = ["delay"]
    ///     try await database.revert(1947...2934, choosing: choice)
    public struct Choice: Sendable, Hashable {
        /// Only records of this collection.
        public var collectionName: String?
        /// Only records under this key.
        public var key: String?
        /// Only changes that this is true of, about a ``ReplayExpression/Subject/change``: a record becomes what it was
        /// before the first of them, and has a conflict if it is not what the last of them left.
        public var condition: ReplayExpression?
        /// Only these fields at the top of objects: each becomes what it was, and is a conflict if it was changed since.
        /// Other fields
        /// stay as they are now. A record that came or went, or is no map, is left out: it has no fields to choose from.
        public var fields: Set<String>?

        /// Everything.
        public init() {}
    }
}

extension ReplayRevert.Choice {
    /// A record before the changes that are to be reverted, and after them.
    struct Span: Sendable {
        let collectionName: String
        let key: String
        /// What it was before them.
        var then: ReplayRecord?
        /// What they left.
        var left: ReplayRecord?
    }

    /// Whether nothing is left out.
    var isEverything: Bool { collectionName == nil && key == nil && condition == nil && fields == nil }

    private func isWanted(_ change: ReplayChange) -> Bool {
        (collectionName ?? change.collectionName) == change.collectionName && (key ?? change.key) == change.key
    }

    /// Whether a change of a commit is one of those to revert.
    ///
    /// - Throws: `CancellationError` if `isCancelled` was true before that was known.
    func includes(
        _ change: ReplayChange, of step: ReplayStep, unless isCancelled: @escaping () -> Bool
    ) throws(CancellationError) -> Bool {
        guard isWanted(change) else { return false }
        guard let condition else { return true }
        guard
            let holds = condition.holds(
                from: change.before, in: step.before, to: change.after, in: step.after, unless: isCancelled)
        else { throw CancellationError() }
        return holds
    }

    /// What the commits changed between them, ordered by collection and key; for a choice without a condition.
    func spans(of commits: ClosedRange<CommitNumber>, _ reader: ReplayReader) throws -> [Span] {
        let base = CommitNumber(commits.lowerBound.rawValue - 1)
        return try reader.changes(from: commits.upperBound, to: base).filter(isWanted).map {
            Span(collectionName: $0.collectionName, key: $0.key, then: $0.after, left: $0.before)
        }
    }
}

extension ReplayRevert.Choice.Span {
    /// The revert of the whole record; `nil` if there is nothing to do.
    func reverted(in present: PresentRecords) -> ReplayRevert.Change? {
        let now = present.now(key, in: collectionName)
        let (then, left) = (present.form(then, in: collectionName), present.form(left, in: collectionName))
        if now == then { return nil }
        return ReplayRevert.Change(
            collectionName: collectionName, key: key, now: now, left: left, then: then, isConflict: now != left,
            fields: nil)
    }

    /// The revert of some fields; `nil` if there is nothing to do.
    func reverting(_ names: Set<String>, in present: PresentRecords) -> ReplayRevert.Change? {
        let (then, after) = (present.form(then, in: collectionName), present.form(left, in: collectionName))
        guard let now = present.now(key, in: collectionName), case .map(var fields) = now.object,
            let old = then?.object.map, let left = after?.object.map
        else {
            return nil
        }
        var isConflict = false
        var reverted: Set<String> = []
        for name in names.sorted() {
            func value(_ fields: [CBORValue.Pair]) -> CBORValue? { fields.first { $0.key == .text(name) }?.value }
            let target = value(old), present = value(fields)
            // What the commits left alone stays, and so does what is as it was already.
            guard target != value(left), target != present else { continue }
            reverted.insert(name)
            if present != value(left) { isConflict = true }
            fields.removeAll { $0.key == .text(name) }
            if let target { fields.append(.init(.text(name), target)) }
        }
        guard !reverted.isEmpty, let record = now.replacingObject(with: .map(fields)) else { return nil }
        return ReplayRevert.Change(
            collectionName: collectionName, key: key, now: now, left: after, then: record, isConflict: isConflict,
            fields: reverted)
    }
}
