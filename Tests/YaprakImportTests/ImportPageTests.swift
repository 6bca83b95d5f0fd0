#if SQLite
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakImport

    private struct Cover: Codable, Sendable {
        var picture: Data
    }

    extension RecordCollection where Object == Cover, Metadata == NoMetadata {
        fileprivate static var covers: Self { Self("covers") }
    }

    /// The program of the page on importing.
    @Suite(.bounded) struct ImportPageTests {
        @Test func `A program imports with its own types, and leaves out what it can fetch again`() async throws {
            let folder = TemporaryDirectory()
            let source = try OldDatabase(at: folder.appending("old.sqlite"))
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            try source.insert(
                "books", "dune", encoder.encode(ImportedBook(title: "Dune", rank: 1)),
                encoder.encode(ImportedMark(isRead: true)))
            try source.insert("covers", "dune", Data([1, 2, 3]))
            try source.insert("cache", "x", Data([4]))
            let file = FilePath(folder.appending("old.sqlite"))
            let database = Database.inMemory()
            // snippet: import-run
            var old = YapDatabaseImport(file)
            // What registerCodableSerialization wrote, metadata included.
            old.decode("books", as: .importedBooks)
            // Anything else: what the old serializer did, backwards.
            old.decode("covers", as: .covers) { row in Cover(picture: row.object) }
            // What can be fetched again.
            old.skip("cache")
            let report = try await old.run(into: database) { progress in
                print("\(progress.rowCount) of \(progress.totalRowCount ?? 0)")
                return true
            }
            for note in report.notes { print(note) }
            // end
            #expect(report.insertedCount == 2)
            #expect(database.snapshot[.importedBooks]["dune"] == ImportedBook(title: "Dune", rank: 1))
            #expect(database.snapshot[.importedBooks].metadata(for: "dune") == ImportedMark(isRead: true))
            #expect(database.snapshot[.covers]["dune"]?.picture == Data([1, 2, 3]))
            #expect(database.snapshot.collectionNames == ["books", "covers"])
        }
    }
#endif
