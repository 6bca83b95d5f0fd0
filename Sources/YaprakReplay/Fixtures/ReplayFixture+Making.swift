import YaprakCBOR
import YaprakCore
public import YaprakModel

extension ReplayReader {
    /// A commit and the records before it, as text that a test can carry with it; as the files have them, whichever types the
    /// reader was given.
    ///
    /// - Parameters:
    ///   - number: the commit.
    ///   - touchedOnly: whether only the records that the commit touches are in it: those it changed, and all of a
    ///     collection that it emptied.
    /// - Throws: `commitOutOfReach` if the files don't lead to the commit before it; errors of reading.
    /// - Complexity: as ``ReplayReader/snapshot(at:)-(CommitNumber?)``, and O(records).
    public func fixture(of number: CommitNumber, touchedOnly: Bool = false) throws -> ReplayFixture {
        guard number > 0 else {
            throw DatabaseError(
                .commitOutOfReach, "commit 0 is the empty database, which no commit made.", place: .init(commits: 0...0)
            )
        }
        let cursor = try untyped.cursor(at: CommitNumber(number.rawValue - 1))
        guard let step = try cursor.next() else { throw outOfReach(number, cursor.commitNumber) }
        return try ReplayFixture(step, touchedOnly: touchedOnly)
    }
}

extension ReplayFixture {
    /// The fixture of a step of a cursor.
    init(_ step: ReplayStep, touchedOnly: Bool) throws(DatabaseError) {
        let before = touchedOnly ? Self.touched(by: step) : nil
        var lines: [String] = []
        if let before {
            lines.append(Self.header(step.before.commitNumber, before.map { ($0.name, $0.records.count) }))
            for (name, records) in before { lines += records.map { ReplayDump.line(of: $0, in: name) } }
        } else {
            ReplayDump(of: step.before).forEachLine { lines.append($0) }
        }
        var changes: [String] = []
        for collection in step.commit.logged.collections {
            if collection.isCleared {
                changes.append((["collection": .text(collection.name), "removesAll": true] as CBORValue).json())
            }
            let after = step.after.untyped(collection.name)
            for operation in collection.operations {
                changes.append(Self.line(of: operation, in: collection.name, after[operation.key]))
            }
        }
        lines.append(Self.head(of: step.commit, changes: changes.count))
        lines += changes
        try self.init(lines.joined(separator: "\n"))
    }

    private static func header(_ number: CommitNumber, _ counts: [(String, Int)]) -> String {
        let records = CBORValue.map(counts.map { .init(.text($0.0), .integer(Int64($0.1))) })
        let header: CBORValue = [
            "yaprak": "dump", "version": .integer(Int64(ReplayDump.version)), "commit": .unsigned(number.rawValue),
            "records": records,
        ]
        return header.json()
    }

    private static func head(of commit: ReplayCommit, changes: Int) -> String {
        var pairs: [CBORValue.Pair] = [
            .init("yaprak", "commit"), .init("version", .integer(Int64(ReplayDump.version))),
            .init("commit", .unsigned(commit.commitNumber.rawValue)),
            .init("time", .integer(commit.nanosecondsSince1970)),
        ]
        if !commit.origin.isEmpty { pairs.append(.init("origin", .text(commit.origin))) }
        if let info = commit.logged.info { pairs.append(.init("info", DumpNotation.json(of: info[...]))) }
        pairs.append(.init("changes", .integer(Int64(changes))))
        if commit.removesAll { pairs.append(.init("removesAll", true)) }
        return CBORValue.map(pairs).json()
    }

    private static func line(
        of operation: LoggedCommit.LoggedOperation, in collection: String, _ after: ReplayRecord?
    ) -> String {
        var pairs: [CBORValue.Pair] = [
            .init("collection", .text(collection)), .init("key", .text(operation.key)),
            .init("kinds", .array(operation.kinds.words.map { .text($0) })),
        ]
        let isTouch = operation.kinds.isDisjoint(with: [.inserted, .removed, .objectChanged, .metadataChanged])
        if !isTouch, !operation.kinds.contains(.removed), let after {
            pairs.append(.init("object", DumpNotation.json(of: after.objectBytes)))
            if let metadata = after.metadataBytes { pairs.append(.init("metadata", DumpNotation.json(of: metadata))) }
            if after.version != 1 { pairs.append(.init("version", .integer(Int64(after.version)))) }
        }
        return CBORValue.map(pairs).json()
    }

    /// The records before a step that it touches, ascending.
    private static func touched(by step: ReplayStep) -> [(name: String, records: [ReplayRecord])] {
        var keys: [String: Set<String>] = [:]
        var whole: Set<String> = step.commit.removesAll ? Set(step.before.collectionNames) : []
        for collection in step.commit.logged.collections {
            if collection.isCleared { whole.insert(collection.name) }
            keys[collection.name, default: []].formUnion(collection.operations.map(\.key))
        }
        return Set(keys.keys).union(whole).sorted().compactMap { name in
            let records = step.before.untyped(name)
            let touched =
                whole.contains(name) ? Array(records) : (keys[name] ?? []).sorted().compactMap { records[$0] }
            return touched.isEmpty ? nil : (name, touched)
        }
    }
}
