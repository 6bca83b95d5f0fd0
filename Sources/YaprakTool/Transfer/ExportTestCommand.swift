import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

struct ExportTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-test", abstract: "Writes a commit as a test in Swift.",
        usage: "yaprak export-test <database> <position> [<options>]",
        discussion: """
            The test builds the records before the commit in memory, plays the commit, and expects the records it made. \
            It has a place for your types and for what you expect instead. It needs the packages Yaprak and YaprakReplay \
            and no other file.

            With --touched-only it has only the records that the commit touches. That is shorter, and enough \
            unless your code reads others.

              yaprak export-test shop.yaprak 17 --output Tests/Commit17Tests.swift
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The commit.", completion: .position, transform: LogPosition.argument)
    var position: LogPosition

    @Flag(help: "Only the records that the commit touches.")
    var touchedOnly = false

    @OptionGroup var file: FileOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws { try file.checkOverwriting() }

    func run() async throws {
        let reader = try ReplayReader.open(database)
        let number = try reader.commitNumber(at: position)
        let fixture = try reader.reading(unless: Invocation.isInterrupted) { reader in
            try reader.fixture(of: number, touchedOnly: touchedOnly)
        }
        // The test expects the result of playing it here.
        let played = fixture.database()
        try await fixture.play(in: played)
        let digest = played.snapshot.digest
        if !touchedOnly, try reader.state(at: number).digest != digest {
            throw Failure(
                "differs", "the commit played again gives other records than the log. Run `yaprak verify --level 2`.",
                exitCode: 4)
        }
        let name = FilePath(database).lexicallyNormalized().lastComponent?.string ?? "a database"
        let text = TestFile(
            fixture: fixture, digest: digest, databaseName: name, newest: played.commitNumber, touchedOnly: touchedOnly
        ).text
        try file.write(on: file.path == nil ? paging.console() : Invocation.console) { try $0.out.write(text) }
    }
}
