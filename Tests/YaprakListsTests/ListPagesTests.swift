import TestSupport
import Testing
import Yaprak

/// The programs on the pages "Mappings" and "What changes in a list".
@Suite(.bounded) struct ListPagesTests {
    struct Departure: Codable, Sendable {
        var flight: String
        var status: String
        var time: Int
    }

    final class ListView {
        var reloads = 0
        var changes: [String] = []
        func reloadData() { reloads += 1 }
        func apply(_ sections: [SectionChange], _ rows: [RowChange]) {
            changes += sections.map { "\($0)" } + rows.map { "\($0)" }
        }
    }

    let database = Database.inMemory()
    let board = AutoView("board", of: .departures, groupedBy: \.status, sortedBy: \.time)

    private func fill() async throws {
        try await database.write { transaction in
            transaction[.departures]["TK1"] = Departure(flight: "TK 1", status: "boarding", time: 640)
            transaction[.departures]["LH9"] = Departure(flight: "LH 9", status: "delayed", time: 610)
        }
    }

    @Test func `Groups become sections`() async throws {
        try await fill()
        // snippet: list-board
        let board = AutoView("board", of: .departures, groupedBy: \.status, sortedBy: \.time)
        try await database.register(board)

        var sections = ViewMappings(board, groups: ["boarding", "delayed", "departed"])
        let shown = database.snapshot
        try sections.update(to: shown)

        print(sections.numberOfSections, sections.numberOfItems(inSection: 0))
        if let row = shown.row(at: ListPath(section: 0, row: 0), in: sections) { print(row.object.flight) }
        if let path = shown.path(forKey: "TK1", in: sections) { print(path.section, path.row) }
        // end
        #expect(sections.numberOfSections == 3 && sections.numberOfItems(inSection: 0) == 1)
        #expect(shown.row(at: ListPath(section: 0, row: 0), in: sections)?.object.flight == "TK 1")
        #expect(shown.path(forKey: "TK1", in: sections) == ListPath(section: 0, row: 0))

        // snippet: list-chosen
        var everywhere = ViewMappings(board, filter: { $0 != "cancelled" }, order: { $0 > $1 })
        // end
        try everywhere.update(to: shown)
        #expect(everywhere.visibleGroups == ["delayed", "boarding"])

        // snippet: list-ranges
        sections.setRange(.fixed(length: 20, from: .beginning), for: "boarding")
        sections.setRange(.flexible(length: 50, from: .end, maxLength: 300), for: "departed")
        // end

        // snippet: list-extend
        let more = try sections.extend("departed", by: 50, at: .beginning, in: shown)
        // end
        #expect(!more.changes.hasChanges && sections.range(of: "departed")?.length == 100)
        #expect(more.addedCount == 0 && more.obstacle == .notShown)

        // All there are, and more than an Int holds, is no fault.
        var widest = sections
        for side in [ListRange.Side.beginning, .end, .beginning, .end] {
            for group in ["boarding", "departed"] { _ = try widest.extend(group, by: .max, at: side, in: shown) }
        }
        _ = try widest.extend("departed", by: 1, at: .beginning, in: shown)

        let list = ListView()
        // snippet: list-options
        let earlier = sections
        sections.setDynamicForAllGroups(true)  // the empty section goes
        let changes = try sections.changes(since: earlier, in: shown)
        if changes.isReload { list.reloadData() } else { list.apply(changes.sectionChanges, changes.rowChanges) }
        // end
        #expect(changes.sectionChanges.map(\.kind) == [.delete(2)] && list.reloads == 0)

        // The exception that the page names.
        let straight = sections
        sections.setReversed(true, for: "boarding")
        let reversed = try sections.changes(since: straight, in: shown)
        #expect(reversed.isReload && reversed.sectionChanges.isEmpty && reversed.rowChanges.isEmpty)
    }

    @Test func `A chat shows the newest messages, what arrives, and earlier ones when asked`() async throws {
        let messages = AutoView("messages", of: .departures, groupedBy: \.status, sortedBy: \.time)
        try await database.register(messages)
        func send(_ numbers: Range<Int>) async throws {
            try await database.write { transaction in
                for number in numbers {
                    transaction[.departures]["\(1000 + number)"] = Departure(flight: "", status: "chat", time: number)
                }
            }
        }
        var sections = ViewMappings(messages, groups: ["chat"])
        // snippet: list-chat-open
        sections.setRange(.flexible(length: 50, from: .end, maxLength: 200), for: "chat")
        // end
        var shown = database.snapshot
        try sections.update(to: shown)
        func follow() throws {
            let newest = database.snapshot
            _ = try sections.advance(from: shown, to: newest)
            shown = newest
        }
        var length: Int { sections.numberOfItems(inGroup: "chat") }
        func showEarlier() throws -> (changes: ListChanges, hasEarlier: Bool) {
            // snippet: list-chat-earlier
            let before = sections
            let more = try sections.extend("chat", by: 50, at: .beginning, in: shown)
            if more.obstacle == .maxLength {
                // The list is as long as it may get on its own, but the reader asked for more.
                let length = sections.numberOfItems(inGroup: "chat") - more.addedCount + 50
                sections.setRange(.flexible(length: length, from: .end, maxLength: length + 150), for: "chat")
            }
            let changes = try sections.changes(since: before, in: shown)
            let hasEarlier = sections.rangePosition(of: "chat")?.offsetFromBeginning ?? 0 > 0
            // end
            return (changes, hasEarlier)
        }

        // Opened empty, then three hundred arrive.
        for start in stride(from: 0, to: 300, by: 30) {
            try await send(start..<start + 30)
            try follow()
            #expect(length == min(start + 30, 200))
        }
        #expect(sections.rangePosition(of: "chat")?.offsetFromBeginning == 100)
        var more = try showEarlier()
        #expect(more.hasEarlier && length == 250 && more.changes.rowChanges.count == 50)
        #expect(more.changes.rowChanges.allSatisfy { "\($0)".hasPrefix("insert") })
        more = try showEarlier()
        #expect(!more.hasEarlier && length == 300)
        more = try showEarlier()
        #expect(!more.hasEarlier && length == 300 && !more.changes.hasChanges)
        // What arrives is shown, and the earliest leave once the list is long enough.
        try await send(300..<390)
        try follow()
        #expect(length == 390)
        try await send(390..<500)
        try follow()
        #expect(length == 400 && sections.rangePosition(of: "chat")?.offsetFromEnd == 0)
    }

    @Test func `Options set after reversing are as seen`() throws {
        var sections = ViewMappings(board, groups: ["departed"])
        // snippet: list-seen
        sections.setReversed(true, for: "departed")
        sections.setRange(.flexible(length: 50, from: .beginning), for: "departed")
        // end
        let seen = sections.range(of: "departed")
        sections = ViewMappings(board, groups: ["departed"])
        // snippet: list-stored
        sections.setRange(.flexible(length: 50, from: .end), for: "departed")
        sections.setReversed(true, for: "departed")
        // end
        #expect(sections.range(of: "departed") == seen)
    }

    @Test func `A list follows the database`() async throws {
        try await fill()
        try await database.register(board)
        let list = ListView()
        let sections = ViewMappings(board, groups: ["boarding", "delayed", "departed"])
        var shown = database.snapshot
        let database = database
        let writing = Task {
            var seen = false
            for try await _ in database.updates(of: sections) {
                if seen { return try await database.close() }
                seen = true
                try await database.write { $0[.departures]["LH9"]?.status = "boarding" }
            }
        }
        // snippet: list-follow
        for try await update in database.updates(of: sections) {
            shown = update.new
            if update.isReload {
                list.reloadData()
            } else {
                list.apply(update.sectionChanges, update.rowChanges)
            }
        }
        // end
        try await writing.value
        #expect(list.reloads == 1 && shown.commitNumber == database.commitNumber)
        #expect(list.changes == ["move 1.0 → 0.0 (LH9)"] || list.changes.isEmpty)
    }

    @Test func `Any two moments have changes`() async throws {
        try await fill()
        try await database.register(board)
        let sections = ViewMappings(board, groups: ["boarding", "delayed", "departed"])
        let shown = database.snapshot
        let yesterday = shown
        try await database.write { $0[.departures]["LH9"]?.status = "boarding" }
        // snippet: list-moments
        let changes = try sections.changes(from: shown, to: database.snapshot)
        let back = try sections.changes(from: database.snapshot, to: yesterday)
        // end
        #expect(changes.rowChanges.count == 1 && back.rowChanges.count == 1)
        // snippet: list-print
        for change in changes.rowChanges {
            switch change.kind {
            case .delete(let path): print("\(path) goes")
            case .insert(let path): print("\(path) comes")
            case .move(let source, let target): print("\(source) moves to \(target)")
            case .update(_, let path): print("\(path) reloads: \(change.aspects)")
            }
        }
        // end
        // snippet: list-limit
        let few = try sections.changes(from: shown, to: database.snapshot, reloadAbove: 300)
        // end
        #expect(!few.isReload)
    }

    @MainActor @Test func `A model shows the board`() async throws {
        try await fill()
        try await database.register(board)
        let sections = ViewMappings(board, groups: ["boarding", "delayed", "departed"])
        let database = database
        Task { try await database.close() }
        // snippet: list-model
        let model = try ListModel(sections, in: database)
        for section in model.sections {
            print(section.name)
            for row in section { print(row.object.flight) }
        }
        try await model.follow()  // until the task is cancelled
        // end
        #expect(model.sections.map(\.count) == [1, 1, 0])
    }
}

extension RecordCollection where Object == ListPagesTests.Departure, Metadata == NoMetadata {
    static var departures: Self { Self("departures") }
}
