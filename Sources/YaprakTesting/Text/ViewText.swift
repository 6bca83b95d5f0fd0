internal import YaprakCore
internal import YaprakExtensions

/// Extensions as text: the groups of each view and the keys in them, and the roots of others that can be compared.
enum ViewText {
    /// The views of a snapshot, each with a line for each group. Other extensions are not among them.
    static func lines(of snapshot: Snapshot) -> [String] {
        snapshot.views.flatMap { view in
            ["view \(RecordText.key(view.name))"]
                + view.state.groupNames.map { group in
                    "  \(RecordText.key(group)): \(keys(in: group, of: view.state).joined(separator: ", "))"
                }
        }
    }

    /// What differs between the views of two snapshots: groups of rows; of views that only one has their names, if asked for.
    static func differences(from before: Snapshot, to after: Snapshot, namingOthers: Bool) -> [String] {
        let old = Dictionary(uniqueKeysWithValues: before.views.map { ($0.name, $0.state) })
        let new = Dictionary(uniqueKeysWithValues: after.views.map { ($0.name, $0.state) })
        var lines: [String] = []
        for name in Set(old.keys).union(new.keys).sorted() {
            guard let old = old[name], let new = new[name] else {
                if namingOthers { lines.append("\(old[name] == nil ? "+" : "-") view \(RecordText.key(name))") }
                continue
            }
            var groups: [String] = []
            for group in Set(old.groupNames).union(new.groupNames).sorted() {
                let (from, to) = (keys(in: group, of: old), keys(in: group, of: new))
                guard from != to else { continue }
                if from.isEmpty {
                    groups.append("  + \(RecordText.key(group)): \(to.joined(separator: ", "))")
                } else if to.isEmpty {
                    groups.append("  - \(RecordText.key(group)): \(from.joined(separator: ", "))")
                } else {
                    groups.append("  ~ \(RecordText.key(group))")
                    groups += TextDifference.lines(from: from, to: to).map { "      \($0)" }
                }
            }
            if !groups.isEmpty { lines += ["view \(RecordText.key(name))"] + groups }
        }
        return lines
    }

    private static func keys(in group: String, of state: ViewState) -> [String] {
        let names = state.root.configuration.collectionNames
        return (0..<state.count(ofGroup: group)).map { index in
            let row = state.rowID(inGroup: group, at: index)
            let key = RecordText.key(row.key)
            return names.count == 1 ? key : "\(RecordText.key(names[row.collection]))/\(key)"
        }
    }
}

extension Snapshot {
    /// The views of a snapshot, by name.
    fileprivate var views: [(name: String, state: ViewState)] {
        state.extensions.compactMap { entry in
            (entry.root as? ViewRoot).map { (entry.name, ViewState(snapshot: self, root: $0)) }
        }
        .sorted { $0.name < $1.name }
    }
}
