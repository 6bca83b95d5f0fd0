internal import Yaprak

/// A list as a screen has it: sections with rows. Knows nothing of how changes are found.
struct ListImage: Equatable {
    struct Row: Equatable {
        var collection: String
        var key: String
        /// What it shows, as far as objects of its type can be compared.
        var shown: ShownObject?

        /// Whether it is the same row, whatever it shows.
        func isSameRow(as other: Row) -> Bool { key == other.key && collection == other.collection }
    }

    struct Section: Equatable {
        var name: String
        var rows: [Row]
    }

    var sections: [Section] = []

    /// What a list shows of a snapshot.
    init<View: OrderedView>(_ snapshot: Snapshot, _ mappings: ViewMappings<View>) {
        sections = snapshot.sections(of: mappings).map { section in
            Section(
                name: section.name,
                rows: section.map { row in
                    Row(
                        collection: row.collectionName, key: row.key,
                        shown: (row as? any ShowingRow).map { $0.shown })
                })
        }
    }

    /// The sections with their keys, a line each.
    var lines: [String] {
        sections.map { section in
            "\(RecordText.key(section.name)): \(section.rows.map { RecordText.key($0.key) }.joined(separator: ", "))"
        }
    }

    /// Whether no row is shown.
    var isEmpty: Bool { sections.allSatisfy(\.rows.isEmpty) }

    /// The first row that is not what it is in another list with the same lines, as text.
    func firstDifference(from other: ListImage) -> String? {
        for (number, (section, wanted)) in zip(sections, other.sections).enumerated() {
            for (index, (row, wanted)) in zip(section.rows, wanted.rows).enumerated() where row != wanted {
                let place = "row \(ListPath(section: number, row: index)) (\(row.key))"
                guard row.isSameRow(as: wanted) else {
                    return "\(place) is of \(row.collection), and of \(wanted.collection) in the list"
                }
                let (before, after) = (row.shown?.text ?? "nothing", wanted.shown?.text ?? "nothing")
                let found = before == after ? "one that is not equal" : after
                return "\(place) still shows \(before), and \(found) in the list"
            }
        }
        return nil
    }

    /// What the row at a path shows; `nil` if there is none.
    fileprivate func shown(at path: ListPath) -> ShownObject? {
        guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row) else {
            return nil
        }
        return sections[path.section].rows[path.row].shown
    }
}

/// Why a list view would refuse a set of changes.
struct ListRefusal: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension ListImage {
    /// The list after `changes`, by the rules of list views: what is not said to change stays, in its order, as it was drawn.
    ///
    /// - Parameter list: what rows are read from that come, or have to be drawn again.
    /// - Throws: ``ListRefusal``.
    func applying(_ changes: ListChanges, reading list: ListImage? = nil) throws(ListRefusal) -> ListImage {
        try checkSequence(of: changes.rowChanges)
        var (result, sources) = try applyingSections(changes.sectionChanges)
        var gone = sections.map { [Bool](repeating: false, count: $0.rows.count) }
        var comers: [ListPath: Row] = [:]
        for change in changes.rowChanges {
            if case .update = change.kind { continue }
            var comer = Row(change)
            if let path = change.source {
                let row = try row(at: path, of: change)
                guard row.isSameRow(as: comer) else { throw ListRefusal("\(change) is another row") }
                guard !gone[path.section][path.row] else { throw ListRefusal("\(change): the row left already") }
                gone[path.section][path.row] = true
                comer.shown = row.shown
            }
            guard let path = change.target else { continue }
            // A row that moved and did nothing else is not drawn again.
            if change.source == nil || !change.aspects.isEmpty { comer.shown = list?.shown(at: path) }
            guard comers.updateValue(comer, forKey: path) == nil else {
                throw ListRefusal("\(change): two rows come to the same place")
            }
        }
        for change in changes.rowChanges {
            guard case .update(let path, _) = change.kind else { continue }
            guard try row(at: path, of: change).isSameRow(as: Row(change)), !gone[path.section][path.row] else {
                throw ListRefusal("\(change) is another row")
            }
        }
        for (target, source) in sources.enumerated() {
            var rest: [Row] = []
            if let source { rest = zip(sections[source].rows, gone[source]).filter { !$0.1 }.map(\.0) }
            for comer in comers.filter({ $0.key.section == target }).sorted(by: { $0.key.row < $1.key.row }) {
                guard (0...rest.count).contains(comer.key.row) else {
                    throw ListRefusal("a row comes past the end of section \(target)")
                }
                rest.insert(comer.value, at: comer.key.row)
                comers[comer.key] = nil
            }
            result.sections[target].rows = rest
        }
        if let path = comers.keys.first {
            throw ListRefusal("a row comes to section \(path.section), which is not there")
        }
        for (source, rows) in gone.enumerated() where !sources.contains(source) && rows.contains(false) {
            throw ListRefusal("rows of section \(source) went with it, and no change says so")
        }
        for change in changes.rowChanges {
            guard case .update(_, let path) = change.kind else { continue }
            guard try result.row(at: path, of: change).isSameRow(as: Row(change)) else {
                throw ListRefusal("\(change) ends elsewhere")
            }
            result.sections[path.section].rows[path.row].shown = list?.shown(at: path)
        }
        return result
    }

    /// Deletes descending, inserts ascending, then moves, then updates.
    private func checkSequence(of changes: [RowChange]) throws(ListRefusal) {
        func kind(_ change: RowChange) -> Int {
            switch change.kind {
            case .delete: 0
            case .insert: 1
            case .move: 2
            case .update: 3
            }
        }
        for (first, second) in zip(changes, changes.dropFirst()) {
            let isInSequence =
                switch (first.kind, second.kind) {
                case (.delete(let a), .delete(let b)): a > b
                case (.insert(let a), .insert(let b)): a < b
                default: kind(first) <= kind(second)
                }
            guard isInSequence else { throw ListRefusal("\(second) comes after \(first)") }
        }
    }

    private func row(at path: ListPath, of change: RowChange) throws(ListRefusal) -> Row {
        guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row) else {
            throw ListRefusal("\(change): no row is there")
        }
        return sections[path.section].rows[path.row]
    }

    /// The sections after `changes`, still empty, and where each was before.
    private func applyingSections(
        _ changes: [SectionChange]
    ) throws(ListRefusal) -> (list: ListImage, sources: [Int?]) {
        var gone = [Bool](repeating: false, count: sections.count)
        var comers: [Int: (name: String, source: Int?)] = [:]
        for change in changes {
            if let source = change.source {
                guard sections.indices.contains(source), !gone[source], sections[source].name == change.group else {
                    throw ListRefusal("\(change): no such section")
                }
                gone[source] = true
            }
            if let target = change.target, comers.updateValue((change.group, change.source), forKey: target) != nil {
                throw ListRefusal("\(change): two sections come there")
            }
        }
        var result = sections.indices.filter { !gone[$0] }.map { (name: sections[$0].name, source: Optional($0)) }
        for (target, comer) in comers.sorted(by: { $0.key < $1.key }) {
            guard (0...result.count).contains(target) else { throw ListRefusal("section \(target) is past the end") }
            result.insert(comer, at: target)
        }
        var list = self
        list.sections = result.map { Section(name: $0.name, rows: []) }
        return (list, result.map(\.source))
    }
}

extension ListImage.Row {
    fileprivate init(_ change: RowChange) { self.init(collection: change.collectionName, key: change.key) }
}
