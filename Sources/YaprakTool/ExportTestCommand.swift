import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

struct ExportTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-test", abstract: "Writes a commit as a test in Swift.",
        discussion: """
            The test builds the records before the commit in memory, plays the commit, and expects what came of it then. \
            It has a place for your types and for what you expect instead. It needs the packages Yaprak and YaprakReplay \
            and no other file.

            With --touched-only it has the records that the commit touches and no others. That is shorter, and enough \
            unless your code looks at more.

              yaprak export-test shop.yaprak 17 --output Tests/Commit17Tests.swift
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Argument(help: "The commit.", transform: LogPosition.argument)
    var position: LogPosition

    @Flag(help: "Only the records that the commit touches.")
    var touchedOnly = false

    @OptionGroup var file: FileOptions

    func run() async throws {
        let console = Invocation.console
        let reader = try ReplayReader.open(database)
        let number = try reader.commitNumber(at: position)
        let fixture = try reader.fixture(of: number, touchedOnly: touchedOnly)
        // What the test is to expect is what comes of it here.
        let played = fixture.database()
        try await fixture.play(in: played)
        let digest = played.snapshot.digest
        if !touchedOnly, try reader.snapshot(at: number).digest != digest {
            throw Failure(
                "differs", "the commit played again gives other records than the log. Run `yaprak verify --level 2`.",
                exitCode: 4)
        }
        let name = FilePath(database).lexicallyNormalized().lastComponent?.string ?? "a database"
        let text = TestFile(
            fixture: fixture, digest: digest, databaseName: name, newest: played.commitNumber, touchedOnly: touchedOnly
        ).text
        try file.write(on: console) { try $0.out.write(text) }
    }
}

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
                @Test func `Commit \(number), played again, makes the records what it made them then`() async throws {
                    let fixture = try ReplayFixture(Self.text)
                    let database = fixture.database()
                    // Bind the types that you ask for below, and register the views:
                    //     try await database.bind(.books)

                    let before = database.snapshot
                    try await fixture.play(in: database)
                    let after = database.snapshot

                    #expect(before.commitNumber == \(number.rawValue - 1))
                    #expect(after.commitNumber == \(newest))
                    #expect(after.digest == "\(digest)")
                    // What should have come of it? Say so here; without types, for example:
                    //     #expect(after.untyped("books")["dune"]?.object["rank"] == 1)
                }

                /// The records before the commit, as `yaprak dump` writes them, and the commit.
                private static let text = \(marks)\"""
            \(lines)
                    \"""\(marks)
            }

            """
    }

    /// How many signs the quotes need so that nothing in the text is taken for their end, or for an escape.
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
