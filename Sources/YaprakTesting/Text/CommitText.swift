internal import YaprakCore
internal import YaprakReplay

/// Commits as text: what a failed test attaches.
///
///     commit 2 "import" at 2013-01-01T00:00:00Z
///       books
///         + dune: {"title": "Dune", "salesRank": 3}
///         ~ emma: salesRank: 8 → 1
enum CommitText {
    /// The lines of one commit.
    static func lines(of changeset: Changeset) -> [String] {
        let origin = changeset.origin.isEmpty ? "" : " \(changeset.origin.debugDescription)"
        var lines = ["commit \(changeset.commitNumber)\(origin) at \(ISOTime.text(changeset.nanosecondsSince1970))"]
        let net = changeset.netChanges
        if net.didRemoveAll { lines.append("  removed everything in all collections") }
        for name in net.collectionNames where !net.didRemoveAll && net.didRemoveAll(inCollectionNamed: name) {
            lines.append("  removed everything in \(RecordText.key(name))")
        }
        lines += RecordText.lines(of: changes(of: net)).map { "  \($0)" }
        return lines
    }

    /// The records that a commit names, by collection and key.
    private static func changes(of net: NetChanges) -> [ReplayChange] {
        var changes: [ReplayChange] = []
        net.forEachRaw { collection, kinds, before, after in
            changes.append(
                ReplayChange(
                    collectionName: collection, kinds: kinds, before: before.map { ReplayRecord($0) },
                    after: after.map { ReplayRecord($0) }))
        }
        return changes.sorted { ($0.collectionName, $0.key) < ($1.collectionName, $1.key) }
    }
}
