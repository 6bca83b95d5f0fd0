import ArgumentParser
import TestSupport
import Testing
import ToolSupport
import Yaprak

@testable import CitySearch

/// The example of search: what it prints, and that its own check finds nothing wrong.
@Suite(.bounded) struct CitySearchTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// What the example prints.
    private func answer(_ arguments: String...) async throws -> String {
        let command = try CitySearch.parse(arguments)
        let console = Console(out: TextSink(), err: TextSink())
        try await command.answer(on: console)
        return console.out.text
    }

    private static func city(_ name: String, _ latitude: Double, _ longitude: Double, also: String = "") -> String {
        """
        {"id":"\(name)","name":"\(name)","country":"TR","population":1,"latitude":\(latitude),"longitude":\(longitude),\
        "alternateNames":["\(also)"]}
        """
    }

    @Test func `A city is found by any of its names, with those around it, the nearest first`() async throws {
        let cities = [
            Self.city("Istanbul", 41.01, 28.98, also: "Constantinople"), Self.city("Ankara", 39.93, 32.86),
            Self.city("Bursa", 40.19, 29.06),
        ]
        let data = try folder.write(cities.joined(separator: "\n"), to: "cities.ndjson")
        for query in ["istanbul", "constantin*"] {
            let text = try await answer(query, "--data", data)
            let lines = text.split(separator: "\n")
            try #require(lines.count == 4, "\(text)")
            #expect(lines[0].hasPrefix("TR  Istanbul: ") && lines[1] == "around it:", "\(text)")
            #expect(lines[2].hasSuffix(" km  Bursa") && lines[3].hasSuffix(" km  Ankara"), "\(text)")
        }
        await #expect(throws: ExitCode(1)) { try await answer("nowhere", "--data", data) }
        await #expect(throws: ValidationError.self) { try await answer("AND", "--data", data) }
    }

    @Test func `A file without cities is an error that names it`() async throws {
        let none = try folder.write("", to: "none.ndjson")
        let wrong = try folder.write(Self.city("Ankara", 39.93, 32.86) + "\n{}", to: "wrong.ndjson")
        for (path, reason) in [(folder("absent"), "absent"), (none, "has no cities"), (wrong, "line 2 of")] {
            let error = await #expect(throws: InputError.self) { try await answer("ankara", "--data", path) }
            #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        }
    }

    // The sum stopped the program.
    @Test func `A city with as many people as a number can say is edited, too`() async throws {
        let city = Self.city("Ankara", 39.93, 32.86).replacing(
            #""population":1"#, with: #""population":9223372036854775807"#)
        let database = try await CityIndexes.database(of: try folder.write(city, to: "large.ndjson"))
        let number = database.commitNumber
        let editing = Task { try await CityIndexes.edit(database, pause: .milliseconds(1)) }
        for _ in 0..<60_000 where database.commitNumber == number { try await Task.sleep(for: .milliseconds(1)) }
        editing.cancel()
        try await editing.value
        #expect(database.commitNumber > number)
    }

    @Test func `What is found of real cities is what a look at each of them finds, also beside an editor`() async throws
    {
        let lines = try LineReader(fixture("cities"))
        var text = ""
        while lines.number < 300, let line = try lines.next() { text += String(decoding: line, as: UTF8.self) + "\n" }
        let printed = try await answer("--check", "--data", try folder.write(text, to: "some.ndjson"))
        #expect(printed.split(separator: "\n").count { $0.hasSuffix(", all the same") } == 3, "\(printed)")
    }
}
