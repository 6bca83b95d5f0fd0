import ToolSupport
import Yaprak
import YaprakReplay

/// The Swift file of a test that plays a commit.
struct TestFile {
    let fixture: ReplayFixture
    let digest: SnapshotDigest
    let databaseName: String
    /// The commit that the database in memory is at when the commit was played.
    let newest: CommitNumber
    let touchedOnly: Bool

    /// The file.
    var text: String {
        let number = fixture.commitNumber
        let marks = String(repeating: "#", count: marksNeeded)
        let origin = fixture.origin.isEmpty ? "" : " by \"\(fixture.origin.plain)\""
        let lines = fixture.text.split(separator: "\n").map { "        " + $0 }.joined(separator: "\n")
        return """
            // Made by `yaprak export-test`\(touchedOnly ? ", with the records that the commit touches" : "").
            // swift-format-ignore-file

            import Testing
            import Yaprak
            import YaprakReplay

            /// Commit \(number) of \(databaseName.plain), made \(fixture.nanosecondsSince1970.isoTime)\(origin).
            @Suite struct Commit\(number)Tests {
                @Test func `Commit \(number), played again, makes the same records`() async throws {
                    let fixture = try ReplayFixture(Self.text)
                    let database = fixture.database()
                    // Bind the types that you use below, and register the views:
                    //     try await database.bind(.books)

                    let before = database.snapshot
                    try await fixture.play(in: database)
                    let after = database.snapshot

                    #expect(before.commitNumber == \(number.rawValue - 1))
                    #expect(after.commitNumber == \(newest))
                    #expect(after.digest == "\(digest)")
                    // What should the result have been? Expect it here; without types, for example:
                    //     #expect(after.untyped("books")["dune"]?.object["rank"] == 1)
                }

                /// The records before the commit, as `yaprak dump` writes them, and the commit.
                private static let text = \(marks)\"""
            \(lines)
                    \"""\(marks)
            }

            """
    }

    /// How many signs the quotes need so that nothing in the text reads as their end, or as an escape.
    private var marksNeeded: Int {
        var longest = 0, run: Int?
        for byte in fixture.text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): run = 0
            case UInt8(ascii: "#"): run = run.map { $0 + 1 }
            default: run = nil
            }
            longest = max(longest, run ?? 0)
        }
        return longest + 1
    }
}
