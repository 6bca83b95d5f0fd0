import Foundation
import TestSupport
import Testing

/// The pages show only programs that were compiled, and name only what is there.
///
/// How a program gets onto a page stands with `DocumentationTests`.
@Suite(.bounded) struct DocumentationPagesTests {
    /// Where the package is.
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    /// The pages of the catalogs, and the README where there is one.
    private static func pages() throws -> [(name: String, text: String)] {
        let articles = [
            "Sources/Yaprak/Yaprak.docc", "Sources/YaprakReplay/YaprakReplay.docc",
            "Sources/YaprakTesting/YaprakTesting.docc",
        ].flatMap {
            FileManager.default.enumerator(at: root.appending(path: $0), includingPropertiesForKeys: nil)?.allObjects
                ?? []
        }
        let readme = root.appending(path: "README.md")
        let urls =
            articles.compactMap { $0 as? URL } + (FileManager.default.fileExists(atPath: readme.path) ? [readme] : [])
        return try urls.filter { $0.pathExtension == "md" }.map { ($0.lastPathComponent, try text($0)) }
    }

    /// The programs between the markers in the files of these targets, without the indentation of their first line.
    private static func snippets() throws -> [String: [Substring]] {
        let folders = [
            "Tests/YaprakCoreTests", "Tests/YaprakExtensionsTests", "Tests/YaprakListsTests",
            "Tests/YaprakQueriesTests", "Tests/YaprakReplayTests", "Tests/YaprakSearchTests",
            "Tests/YaprakServicesTests", "Tests/YaprakTestingTests", "Tests/YaprakToolTests", "Tests/YaprakImportTests",
            "Sources/DeparturesBoard",
        ]
        let tests = try folders.flatMap {
            try FileManager.default.contentsOfDirectory(
                at: root.appending(path: $0), includingPropertiesForKeys: nil)
        }
        var snippets: [String: [Substring]] = [:]
        for url in tests where url.pathExtension == "swift" {
            var name: String?
            for line in try text(url).split(separator: "\n", omittingEmptySubsequences: false) {
                let trimmed = line.trimmingCharacters(in: .whitespaces)
                if trimmed.hasPrefix("// snippet: ") {
                    name = String(trimmed.dropFirst(12))
                    #expect(snippets[name!] == nil, "two snippets are called \(name!)")
                    snippets[name!] = []
                } else if trimmed == "// end" {
                    name = nil
                } else if let name {
                    snippets[name]!.append(line)
                }
            }
            #expect(name == nil, "a snippet in \(url.lastPathComponent) has no end")
        }
        return snippets.mapValues(unindented)
    }

    /// A program without its layout, which is the formatter's.
    private static func words(of lines: [Substring]) -> String {
        lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
            .replacing("( ", with: "(").replacing(" )", with: ")")
    }

    private static func unindented(_ lines: [Substring]) -> [Substring] {
        let indentation = lines.first { !$0.isEmpty }?.prefix { $0 == " " }.count ?? 0
        return lines.map { $0.dropFirst(min(indentation, $0.prefix { $0 == " " }.count)) }
    }

    @Test func `Every block of Swift on a page is a program that was compiled`() throws {
        let snippets = try Self.snippets()
        var shown: Set<String> = []
        for (page, text) in try Self.pages() {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() where line == "```swift" {
                let tag = index == 0 ? "" : lines[index - 1]
                guard tag.hasPrefix("<!-- snippet: "), tag.hasSuffix(" -->") else {
                    Issue.record("\(page):\(index + 1): a block of Swift without <!-- snippet: name --> before it")
                    continue
                }
                let names = tag.dropFirst(14).dropLast(4).split(separator: " ").map(String.init)
                shown.formUnion(names)
                let block = lines[(index + 1)...].prefix { $0 != "```" }
                let program = names.map { snippets[$0] ?? [] }.joined(separator: [""])
                #expect(
                    Self.words(of: Array(block)) == Self.words(of: Array(program)),
                    "\(page):\(index + 1): the block is not \(names) of the tests")
            }
        }
        #expect(Set(snippets.keys) == shown, "a snippet that no page shows")
    }

    @Test func `Every link to an article leads somewhere`() throws {
        let pages = try Self.pages()
        let names = Set(pages.map { $0.name.dropLast(3) })
        for (page, text) in pages {
            for link in text.matches(of: #/<doc:([^>]+)>/#) {
                // A link to another catalog begins with its module.
                let name = link.1.split(separator: "/").last ?? ""
                #expect(names.contains(name), "\(page) links to \(link.1), which is not there")
            }
        }
    }

    @Test func `Every suite that a page names is there`() throws {
        let tests = FileManager.default.enumerator(
            at: Self.root.appending(path: "Tests"), includingPropertiesForKeys: nil)
        let sources = try (tests?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try Self.text($0) }
        for (page, text) in try Self.pages() {
            for suite in Set(text.matches(of: #/`([A-Z][A-Za-z]*Tests)`/#).map(\.1)) {
                #expect(
                    sources.contains { $0.contains("struct \(suite) ") }, "\(page) names \(suite), which is not there")
            }
        }
    }

    /// The Swift files of the sources and the tests, with their text.
    private static func swiftFiles() throws -> [(path: String, text: String)] {
        try ["Sources", "Tests"].flatMap { folder in
            let files =
                FileManager.default.enumerator(
                    at: root.appending(path: folder), includingPropertiesForKeys: nil)?.allObjects ?? []
            return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
                .map { ($0.path, try text($0)) }
        }
    }

    @Test func `The page on errors has every code, and no other`() throws {
        let page = try #require(try Self.pages().first { $0.name == "Troubleshooting.md" })
        let listed = page.text.matches(of: #/^\| `([a-zA-Z]+)` \|/#.anchorsMatchLineEndings()).map { String($0.1) }
        var codes: Set<String> = []
        for file in try Self.swiftFiles() where file.path.contains("/Sources/") {
            if file.text.contains("extension DatabaseError.Code {") {
                codes.formUnion(
                    file.text.matches(of: #/static let [a-zA-Z]+ = Self\(rawValue: "([a-zA-Z]+)"\)/#)
                        .map { String($0.1) })
            }
            // What the tool reports in the same form.
            if file.path.contains("/YaprakTool/") {
                codes.formUnion(
                    file.text.matches(of: #/(?:Failure|self\.init)\(\s*"([a-zA-Z]+)"/#).map { String($0.1) })
            }
        }
        #expect(codes.count > 30)
        #expect(codes.subtracting(listed).sorted() == [], "codes without a row")
        #expect(Set(listed).subtracting(codes).sorted() == [], "rows without a code")
        #expect(Set(listed).count == listed.count, "a code has two rows")
    }

    @Test func `Every Swift file that a page names is there`() throws {
        let files = try Self.swiftFiles().map(\.path) + [Self.root.appending(path: "Package.swift").path]
        // The README names the files of the program that its reader makes.
        for (page, text) in try Self.pages() where page != "README.md" {
            for match in text.matches(of: #/`([A-Za-z+\/]+\.swift)`/#) {
                #expect(
                    files.contains { $0.hasSuffix("/\(match.1)") }, "\(page) names \(match.1), which is not there")
            }
        }
    }
}
