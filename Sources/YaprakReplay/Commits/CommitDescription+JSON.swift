public import YaprakCBOR
import YaprakCore
import YaprakModel

extension ReplayChange {
    /// The fields that differ; metadata is a field of its own. O(size of both records).
    public var fields: [FieldChange] { ReplayRecord.fields(from: before, to: after) }

    /// `{"collection", "key", "kinds", "before", "after", "fields"}`, with `metadataBefore` and `metadataAfter` where there is
    /// any. A side on which there is no record is left out. Where a record came or went as a whole, `fields` is left out; also
    /// where so many fields differ, below so many levels, that their paths take more than 16 MiB: the text of each, and 16 bytes
    /// for each step. The first 64 KiB of a change do not count.
    public var json: CBORValue {
        var room = Self.pathBytesMax
        return json(in: &room)
    }

    /// For the paths of all changes of an answer together, beyond what each has for itself.
    fileprivate static let pathBytesMax = 16 << 20
    /// Each change has as much for the paths of its fields in any case: its values mostly take no less.
    private static let ownPathBytesMax = 64 << 10

    /// The same, where the paths of fields have so much room beyond what each change has for itself; what they take of it is
    /// subtracted.
    fileprivate func json(in room: inout Int) -> CBORValue {
        var pairs: [CBORValue.Pair] = [
            .init("collection", .text(collectionName)), .init("key", .text(key)),
            .init("kinds", .array(kinds.words.map { .text($0) })),
        ]
        if let before { pairs.append(.init("before", before.object)) }
        if let metadata = before?.metadata { pairs.append(.init("metadataBefore", metadata)) }
        if let after { pairs.append(.init("after", after.object)) }
        if let metadata = after?.metadata { pairs.append(.init("metadataAfter", metadata)) }
        if before != nil, after != nil, let fields = fieldsJSON(in: &room) { pairs.append(.init("fields", fields)) }
        return .map(pairs)
    }

    /// The fields that differ; `nil` if their paths are too long together: there may be a million below 500 levels. There is
    /// no room then for later changes but what each has for itself.
    private func fieldsJSON(in room: inout Int) -> CBORValue? {
        var fields: [CBORValue] = [], taken = 0
        defer { room = max(0, room - max(0, taken - Self.ownPathBytesMax)) }
        for field in FieldChanges(from: before, to: after) {
            // Its text, and an item for each step.
            taken += field.path.utf8.count + 16 * field.field.stepCount
            if taken > Self.ownPathBytesMax + room { return nil }
            fields.append(field.json)
        }
        return .array(fields)
    }
}

extension Sequence<ReplayChange> {
    /// The JSON of each. The bound of ``ReplayChange/json`` is one for all of them: the change that exceeds it, and those
    /// after it whose paths take more than 64 KiB, have no `fields`.
    package var json: [CBORValue] { json(checking: {}) }

    /// The same; `check` is called before each; what it throws ends the work.
    package func json(checking check: () throws -> Void) rethrows -> [CBORValue] {
        var room = ReplayChange.pathBytesMax
        var found: [CBORValue] = []
        for change in self {
            try check()
            found.append(change.json(in: &room))
        }
        return found
    }
}

extension CommitDescription {
    /// The time as ISO 8601 with all the digits there are: `2026-11-20T23:15:04.170312Z`.
    public var isoTime: String { ISOTime.text(nanosecondsSince1970) }

    /// `{"commit", "time", "ns", "origin", "info", "removesAll", "changes": […]}`: the commit without values. Members that
    /// say nothing are left out.
    public var json: CBORValue {
        var pairs = headJSON
        var changes: [CBORValue] = []
        for records in changedRecords {
            let collection = CBORValue.text(records.collectionName)
            if records.removesAll { changes.append(["collection": collection, "kinds": ["removedAll"]]) }
            for change in records.changes {
                changes.append([
                    "collection": collection, "key": .text(change.key),
                    "kinds": .array(change.kinds.words.map { .text($0) }),
                ])
            }
        }
        pairs.append(.init("changes", .array(changes)))
        return .map(pairs)
    }

    /// The members that say nothing of single records. O(size of the attached value).
    package var headJSON: [CBORValue.Pair] {
        var pairs: [CBORValue.Pair] = [
            .init("commit", .unsigned(commitNumber.rawValue)), .init("time", .text(isoTime)),
            .init("ns", .integer(nanosecondsSince1970)),
        ]
        if !origin.isEmpty { pairs.append(.init("origin", .text(origin))) }
        if let untypedInfo { pairs.append(.init("info", untypedInfo)) }
        if removesAll { pairs.append(.init("removesAll", true)) }
        return pairs
    }
}

extension ReplayStep {
    /// The commit with the values of its records before and after, and the fields that differ: as ``CommitDescription/json``,
    /// with a ``ReplayChange/json`` for each record. Its bound of 16 MiB is one for all of them: the record that exceeds
    /// it, and those after it whose paths take more than 64 KiB, have no `fields`.
    /// - Complexity: O(size of the changed records).
    public var json: CBORValue {
        .map(commit.headJSON + [.init("changes", .array(changes.json))])
    }
}
