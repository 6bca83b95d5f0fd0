import Testing
import Yaprak

/// What the articles "Mappings" and "What changes in a list" show, as they show it.
@Suite struct DocumentationTests {
    struct Departure: Codable, Sendable {
        var flight: String
        var status: String
        var time: Int
    }

    final class ListView {
        var reloads = 0
        var changes = 0
        func reloadData() { reloads += 1 }
        func apply(_ sections: [SectionChange], _ rows: [RowChange]) { changes += sections.count + rows.count }
    }

    let database = Database.inMemory()
    let board = AutoView("board", of: .departures, groupedBy: \.status, sortedBy: \.time)

    private func register() async throws {
        try await database.register(board)
        try await database.write { transaction in
            transaction[.departures]["TK1"] = Departure(flight: "TK 1", status: "boarding", time: 640)
            transaction[.departures]["LH9"] = Departure(flight: "LH 9", status: "delayed", time: 610)
        }
    }

    @Test func `The article on mappings`() async throws {
        try await register()
        let shown = database.snapshot
        var sections = ViewMappings(board, groups: ["boarding", "delayed", "departed"])
        try sections.update(to: database.snapshot)

        #expect(sections.numberOfSections == 3)
        #expect(sections.numberOfItems(inSection: 0) == 1)
        #expect(database.snapshot.row(at: ListPath(section: 0, row: 0), in: sections)?.object.flight == "TK 1")
        #expect(database.snapshot.path(forKey: "TK1", in: sections) == ListPath(section: 0, row: 0))

        var everywhere = ViewMappings(board, filter: { $0 != "cancelled" }, order: { $0 > $1 })
        try everywhere.update(to: shown)
        #expect(everywhere.visibleGroups == ["delayed", "boarding"])

        sections.setRange(.fixed(length: 20, from: .beginning), for: "boarding")
        sections.setRange(.flexible(length: 50, from: .end, maxLength: 300), for: "departed")
        let changes = try sections.extend("departed", by: 50, at: .beginning, in: shown)
        #expect(!changes.hasChanges && sections.range(of: "departed")?.length == 100)

        var seen = ViewMappings(board, groups: ["departed"])
        seen.setReversed(true, for: "departed")
        seen.setRange(.flexible(length: 50, from: .beginning), for: "departed")
        var stored = ViewMappings(board, groups: ["departed"])
        stored.setRange(.flexible(length: 50, from: .end), for: "departed")
        stored.setReversed(true, for: "departed")
        #expect(seen.range(of: "departed") == stored.range(of: "departed"))
    }

    @Test func `The article on changes`() async throws {
        try await register()
        let list = ListView()
        let sections = ViewMappings(board, groups: ["boarding", "delayed", "departed"])
        var shown = database.snapshot
        let yesterday = shown
        var lines: [String] = []
        for try await update in database.updates(of: sections) {
            shown = update.new
            if update.isReload {
                list.reloadData()
            } else {
                list.apply(update.sectionChanges, update.rowChanges)
                break
            }
            try await database.write { $0[.departures]["LH9"]?.status = "boarding" }
        }
        #expect(list.reloads == 1 && list.changes == 1)
        let back = try sections.changes(from: database.snapshot, to: yesterday)
        try await database.write { $0[.departures]["AF2"] = Departure(flight: "AF 2", status: "delayed", time: 1) }
        let changes = try sections.changes(from: shown, to: database.snapshot, reloadAbove: 300)
        for change in changes.rowChanges + back.rowChanges {
            switch change.kind {
            case .delete(let path): lines.append("\(path) goes")
            case .insert(let path): lines.append("\(path) comes")
            case .move(let source, let target): lines.append("\(source) moves to \(target)")
            case .update(_, let path): lines.append("\(path) is drawn anew for its \(change.aspects)")
            }
        }
        #expect(lines == ["1.0 comes", "0.0 moves to 1.0"])
    }

    @MainActor @Test func `A model shows the board`() async throws {
        try await register()
        let sections = ViewMappings(board, groups: ["boarding", "delayed", "departed"])
        let model = try ListModel(sections, in: database)
        var lines: [String] = []
        for section in model.sections {
            lines.append(section.name)
            for row in section { lines.append(row.object.flight) }
        }
        #expect(lines == ["boarding", "TK 1", "delayed", "LH 9", "departed"])
        try await database.close()
        try await model.follow()
    }
}

extension RecordCollection where Object == DocumentationTests.Departure, Metadata == NoMetadata {
    static var departures: Self { Self("departures") }
}
