public import YaprakCore
import YaprakExtensions
public import YaprakLists
import YaprakTrees

/// The rows of a query in sections, for a list: the newest fifty messages by day, or all rows in one section.
///
///     let newest = RecordQuery(.messages, sortedBy: RecordSort(\.date, .descending), limit: 50)
///     let sections = QuerySections(database.snapshot[newest]) { $0.object.day }
///
/// Rows with the same name are a section. Sections stand in the order of their first rows, and the rows of a section in the
/// order of the query. A limit of the query is a window over all sections.
public struct QuerySections<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    private let sections: [Section]
    private let numbers: [String: Int]
    private let collectionName: String

    /// One section: a name, and the rows that have it.
    public struct Section: Sendable, Identifiable {
        /// What the closure returned for its rows.
        public let name: String
        /// The rows, in the order of the query.
        public fileprivate(set) var rows: [Record<Object, Metadata>]
        /// The name. O(1).
        public var id: String { name }
    }

    /// The rows in sections. Without a closure they are one section, called `""`; without rows there is none.
    ///
    /// - Parameter name: must depend on the row alone, as a grouping.
    /// - Complexity: O(number of rows).
    public init(
        _ rows: QueryRows<Object, Metadata>, by name: (Record<Object, Metadata>) -> String = { _ in "" }
    ) {
        var sections: [Section] = []
        var numbers: [String: Int] = [:]
        for row in rows {
            let name = name(row)
            if let number = numbers[name] {
                sections[number].rows.append(row)
            } else {
                numbers[name] = sections.count
                sections.append(Section(name: name, rows: [row]))
            }
        }
        self.sections = sections
        self.numbers = numbers
        collectionName = rows.collectionName
    }

    /// The row at a path; `nil` if there is none. O(1).
    public func row(at path: ListPath) -> Record<Object, Metadata>? {
        guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row) else {
            return nil
        }
        return sections[path.section].rows[path.row]
    }
}

extension QuerySections: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of sections. O(1).
    public var endIndex: Int { sections.count }
    /// The section at a position. O(1).
    /// - Precondition: the position is within `0..<count`.
    public subscript(position: Int) -> Section { sections[position] }
}

// MARK: - Changes

extension QuerySections {
    /// What leads from these sections as they were to these as they are; what a view's list reports of itself.
    ///
    ///     let next = QuerySections(update.rows) { $0.object.day }
    ///     let changes = next.changes(since: shown)            // for BatchUpdates, or for a list of your own
    ///
    /// Applied to the list as it was, they give the list as it is. Rows that were not written don't move within their section.
    /// - Complexity: O(*r* log *r*) for *r* rows.
    public func changes(since old: QuerySections) -> ListChanges {
        let rowChanges = rowChanges(since: old)
        // All rows are shown, and each that came, went or changed is one change.
        return ListChanges(
            sectionChanges: sectionChanges(since: old), rowChanges: rowChanges, rawChangeCount: rowChanges.count)
    }

    private func sectionChanges(since old: QuerySections) -> [SectionChange] {
        let deletes = old.sections.indices.reversed()
            .filter { numbers[old.sections[$0].name] == nil }
            .map { SectionChange(kind: .delete($0), group: old.sections[$0].name) }
        var inserts: [SectionChange] = []
        // The sections of both, in the order that they have now, with their numbers before.
        var both: [(from: Int, to: Int)] = []
        for (number, section) in sections.enumerated() {
            if let before = old.numbers[section.name] {
                both.append((before, number))
            } else {
                inserts.append(SectionChange(kind: .insert(number), group: section.name))
            }
        }
        let staying = LongestRun.indices(of: both.map(\.from))
        let moves = both.indices.filter { !staying.contains($0) }.map { index in
            SectionChange(kind: .move(from: both[index].from, to: both[index].to), group: sections[both[index].to].name)
        }
        return deletes + inserts + moves
    }

    private struct Place {
        let path: ListPath
        let row: Record<Object, Metadata>
    }

    private func rowChanges(since old: QuerySections) -> [RowChange] {
        var contexts = RowChange.Contexts()
        func change(
            _ kind: RowChange.Kind, _ key: String, _ group: String, _ oldGroup: String, _ aspects: RowAspects = []
        ) -> RowChange {
            let context = contexts.context(
                group: group, oldGroup: oldGroup, collection: 0, collectionName: collectionName, rowsHaveOnePlace: true)
            return RowChange(kind: kind, aspects: aspects, key: key, context: context)
        }
        var before: [String: Place] = [:]
        for (number, section) in old.sections.enumerated() {
            for (index, row) in section.rows.enumerated() {
                before[row.key] = Place(path: ListPath(section: number, row: index), row: row)
            }
        }
        var inserts: [RowChange] = []
        var moves: [RowChange] = []
        var updates: [RowChange] = []
        for (number, section) in sections.enumerated() {
            let from = old.numbers[section.name]
            // The rows that were in this section, and are: who stays among them.
            var here: [(index: Int, before: Place, isWritten: Bool)] = []
            for (index, row) in section.rows.enumerated() {
                let path = ListPath(section: number, row: index)
                guard let place = before.removeValue(forKey: row.key) else {
                    inserts.append(change(.insert(path), row.key, section.name, section.name))
                    continue
                }
                if place.path.section == from {
                    here.append((index, place, !place.row.isIdentical(to: row)))
                } else {
                    moves.append(
                        change(
                            .move(from: place.path, to: path), row.key, section.name,
                            old.sections[place.path.section].name, Self.aspects(place.row, row)))
                }
            }
            let staying = LongestRun.indices(of: here.map(\.before.path.row), keeping: here.map { !$0.isWritten })
            for (index, row) in here.enumerated() {
                let path = ListPath(section: number, row: row.index)
                let aspects = Self.aspects(row.before.row, section.rows[row.index])
                if !staying.contains(index) {
                    moves.append(
                        change(
                            .move(from: row.before.path, to: path), row.before.row.key, section.name, section.name,
                            aspects))
                } else if row.isWritten {
                    updates.append(
                        change(
                            .update(from: row.before.path, to: path), row.before.row.key, section.name, section.name,
                            aspects))
                }
            }
        }
        let deletes = before.values.sorted { $0.path > $1.path }.map { place in
            let group = old.sections[place.path.section].name
            return change(.delete(place.path), place.row.key, group, group)
        }
        return deletes + inserts + moves + updates
    }

    private static func aspects(_ old: Record<Object, Metadata>, _ new: Record<Object, Metadata>) -> RowAspects {
        old.isIdentical(to: new) ? [] : RowAspects(new.storedBox.kinds(since: old.storedBox))
    }
}
