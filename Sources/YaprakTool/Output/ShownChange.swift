import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// A change of one record with its values before and after, as subcommands show it.
struct ShownChange {
    let collection: String
    let key: String
    let kinds: ChangeKinds
    let before: ReplayRecord?
    let after: ReplayRecord?

    /// The fields that differ. Metadata is a field of its own.
    var fields: FieldChanges { FieldChanges(from: before, to: after) }

    /// Whether a condition is true of it; no condition is.
    /// - Throws: ``Interrupted`` if `isInterrupted` was true before that was known.
    func satisfies(
        _ condition: ReplayExpression?, _ step: ReplayStep, unless isInterrupted: @escaping () -> Bool
    ) throws -> Bool {
        guard let condition else { return true }
        guard
            let holds = condition.holds(
                from: before, in: step.before, to: after, in: step.after, unless: isInterrupted)
        else { throw Interrupted() }
        return holds
    }
}

extension ShownChange {
    init(_ change: ReplayChange) {
        self.init(
            collection: change.collectionName, key: change.key, kinds: change.kinds, before: change.before,
            after: change.after)
    }

    /// The changes of a commit: those that are named in the log, and each record of a collection that was emptied.
    static func of(_ step: ReplayStep, _ filter: ChangeFilter) -> [ShownChange] {
        var shown: [ShownChange] = []
        let commit = step.commit
        var cleared = commit.removesAll ? Set(step.before.collectionNames) : []
        for collection in commit.collections {
            if collection.removesAll { cleared.insert(collection.name) }
            let before = step.before.untyped(collection.name), after = step.after.untyped(collection.name)
            for change in collection.changes where filter.passes(collection.name, change.key) {
                shown.append(
                    ShownChange(
                        collection: collection.name, key: change.key, kinds: change.kinds, before: before[change.key],
                        after: after[change.key]))
            }
        }
        guard !cleared.isEmpty else { return shown }
        let named = Set(shown.map { [$0.collection, $0.key] })
        for change in step.changes
        where cleared.contains(change.collectionName) && !named.contains([change.collectionName, change.key])
            && filter.passes(change.collectionName, change.key)
        {
            shown.append(ShownChange(change))
        }
        return shown
    }

    /// The change in JSON: `{"collection", "key", "kinds", "before", "after", …}`.
    var json: CBORValue {
        var pairs: [CBORValue.Pair] = [
            .init("collection", .text(collection)), .init("key", .text(key)),
            .init("kinds", .array(kinds.words.map { .text($0) })),
        ]
        if let before { pairs.append(.init("before", before.object)) }
        if let metadata = before?.metadata { pairs.append(.init("metadataBefore", metadata)) }
        if let after { pairs.append(.init("after", after.object)) }
        if let metadata = after?.metadata { pairs.append(.init("metadataAfter", metadata)) }
        return .map(pairs)
    }
}

extension ShownChange {
    /// Writes a row for each field, after the cells that all of them begin with; one object in JSON.
    func write(to rows: inout RowWriter, _ format: OutputFormat, after cells: [CBORValue]) throws {
        if format == .json || format == .ndjson { return try rows.write([], json: json) }
        let start = cells + [.text(collection), .text(key), .text(kinds.words.joined(separator: " "))]
        var isEmpty = true
        for field in fields {
            try rows.write(start + [.text(field.path), field.before ?? .null, field.after ?? .null])
            isEmpty = false
        }
        if isEmpty { try rows.write(start + [.null, .null, .null]) }
    }
}
