import Yaprak

/// The rows that a list shows, kept up to date by the reported changes alone.
///
///     var shown = ShownList()
///     for try await update in database.updates(of: sections) { try shown.apply(update) }
///
/// It reads the view once, at the first update, and for a reload. After that, sections and rows are where
/// the changes put them; a record is looked up by its key. So a change that is wrong shows as a wrong list.
struct ShownList: Sendable, Hashable {
    /// A section and its rows.
    struct Section: Sendable, Hashable {
        let name: String
        var rows: [Line]
    }

    /// A row.
    struct Line: Sendable, Hashable {
        let key: String
        var flight: Flight
    }

    /// What the list shows.
    private(set) var sections: [Section] = []
    /// The keys of rows that the last update brought, moved or changed.
    private(set) var freshKeys: Set<String> = []

    /// Nothing yet.
    init() {}

    /// Reads a list whole.
    init<View: OrderedView>(of mappings: ViewMappings<View>, in snapshot: Snapshot)
    where View.Element == Record<Flight, NoMetadata> {
        sections = snapshot.sections(of: mappings).map { section in
            Section(name: section.name, rows: section.map { Line(key: $0.key, flight: $0.object) })
        }
    }
}

// MARK: - Following

extension ShownList {
    /// Shows what an update says.
    /// - Throws: ``OutOfStep`` if a change does not fit.
    mutating func apply<View: OrderedView>(_ update: ListUpdate<View>) throws
    where View.Element == Record<Flight, NoMetadata> {
        if update.isReload {
            self = Self(of: update.mappings, in: update.new)
        } else {
            try apply(update.changes, records: update.new[.flights])
        }
    }

    /// Applies changes: what leaves, then sections, then what comes, then what is another value in its place.
    /// - Throws: ``OutOfStep`` if a change does not fit.
    mutating func apply(_ changes: ListChanges, records: Records<Flight, NoMetadata>) throws {
        freshKeys = []
        var leaving: [(path: ListPath, change: RowChange)] = []
        var coming: [(path: ListPath, change: RowChange)] = []
        for change in changes.rowChanges {
            if case .update = change.kind { continue }
            if let source = change.source { leaving.append((source, change)) }
            if let target = change.target { coming.append((target, change)) }
        }
        // Backwards and then forwards: so each path means what it says when its turn comes.
        for (path, change) in leaving.sorted(by: { $0.path > $1.path }) {
            try check(path, holds: change)
            sections[path.section].rows.remove(at: path.row)
        }
        try apply(changes.sectionChanges)
        for (path, change) in coming.sorted(by: { $0.path < $1.path }) {
            guard sections.indices.contains(path.section), path.row <= sections[path.section].rows.count else {
                throw OutOfStep(change, "there is no such place")
            }
            sections[path.section].rows.insert(try line(change, records), at: path.row)
        }
        for change in changes.rowChanges {
            guard case .update(_, let path) = change.kind else { continue }
            try check(path, holds: change)
            sections[path.section].rows[path.row] = try line(change, records)
        }
    }

    private mutating func apply(_ changes: [SectionChange]) throws {
        var moving: [Int: Section] = [:]
        for change in changes.sorted(by: { ($0.source ?? -1) > ($1.source ?? -1) }) {
            guard let source = change.source else { continue }
            guard sections.indices.contains(source) else { throw OutOfStep(change, "there is no such section") }
            moving[source] = sections.remove(at: source)
        }
        for change in changes.sorted(by: { ($0.target ?? -1) < ($1.target ?? -1) }) {
            guard let target = change.target else { continue }
            guard target <= sections.count else { throw OutOfStep(change, "there is no such place") }
            let section = change.source.flatMap { moving[$0] } ?? Section(name: change.group, rows: [])
            sections.insert(section, at: target)
        }
    }

    private mutating func line(_ change: RowChange, _ records: Records<Flight, NoMetadata>) throws -> Line {
        guard let flight = records[change.key] else { throw OutOfStep(change, "there is no such flight") }
        freshKeys.insert(change.key)
        return Line(key: change.key, flight: flight)
    }

    private func check(_ path: ListPath, holds change: RowChange) throws {
        guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row) else {
            throw OutOfStep(change, "there is no such row")
        }
        let key = sections[path.section].rows[path.row].key
        guard key == change.key else { throw OutOfStep(change, "\(key) stands there") }
    }
}
