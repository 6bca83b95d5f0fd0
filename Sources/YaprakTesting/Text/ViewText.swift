internal import YaprakCore
internal import YaprakExtensions

/// Views as text: the groups of each and the keys in them. A row that the view has made, of an aggregate view, has what it shows
/// behind its key: it stands in no collection.
enum ViewText {
    /// The views of a snapshot, each with a line for each group. Other extensions are not among them.
    static func lines(of snapshot: Snapshot) -> [String] {
        snapshot.views.flatMap { view in
            ["view \(RecordText.key(view.name))"] + lines(of: view.state).map { "  \($0)" }
        }
    }

    /// A line for each group of a view.
    static func lines(of state: ViewState) -> [String] {
        state.groupNames.map { group in
            "\(RecordText.key(group)): \(rows(in: group, of: state).joined(separator: ", "))"
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
                let (from, to) = (rows(in: group, of: old), rows(in: group, of: new))
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

    private static func rows(in group: String, of state: ViewState) -> [String] {
        let configuration = state.root.configuration
        let names = configuration.collectionNames
        return (0..<state.count(ofGroup: group)).map { index in
            let placement = state.placement(inGroup: group, at: index)
            let key = RecordText.key(placement.row.key)
            if let object = configuration.madeObject(of: placement) { return "\(key): \(ShownObject(object).text)" }
            return names.count == 1 ? key : "\(RecordText.key(names[placement.collection]))/\(key)"
        }
    }
}

extension Snapshot {
    /// The views of a snapshot, by name.
    var views: [(name: String, state: ViewState)] {
        state.extensions.compactMap { entry in
            (entry.root as? ViewRoot).map { (entry.name, ViewState(snapshot: self, root: $0)) }
        }
        .sorted { $0.name < $1.name }
    }
}
