import Foundation
import Testing

/// The program in the README is `ReadmeProgram.swift`, word for word.
@Suite struct ReadmeTests {
    @Test func `The program in the README compiles, runs, and says what its comments say`() async throws {
        let readme = try String(contentsOf: package.appendingPathComponent("README.md"), encoding: .utf8)
        let start = try #require(readme.range(of: "```swift\n"))
        let end = try #require(readme.range(of: "```", range: start.upperBound..<readme.endIndex))
        let source = try String(
            contentsOf: package.appendingPathComponent("Tests/YaprakToolTests/ReadmeProgram.swift"), encoding: .utf8)
        let compiled = Set(source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        for line in readme[start.upperBound..<end.lowerBound].split(separator: "\n") {
            let line = line.trimmingCharacters(in: .whitespaces)
            #expect(compiled.contains(line), "ReadmeProgram.swift does not have: \(line)")
        }
        #expect(try await runReadme() == ["Dune 0", "1", "2"])
    }
}
