// The program of the README, with its `print` caught. ReadmeTests compares the two line by line.
// swift-format-ignore-file

import TestSupport
import Yaprak

private
struct Book: Codable, Sendable { var title: String; var rank: Int }
extension RecordCollection where Object == Book, Metadata == NoMetadata {
    fileprivate
    static var books: Self { Self("books") }
}

func runReadme() async throws -> [String] {
    let log = Log()
    func print(_ words: Any...) { log.add(words.map { "\($0)" }.joined(separator: " ")) }

    let database = Database.inMemory()              // or: try await Database.open(at: "shop.yaprak", collections: .books)
    let changes = database.changesets()             // every commit from here on, none dropped

    try await database.write { transaction in       // all of it or nothing; throwing undoes it
        transaction[.books]["abc"] = Book(title: "Dune", rank: 3)
        transaction[.books]["abc"]?.rank += 1
    }
    let before = database.snapshot                  // a value: no await, no lock held, stays what it is
    try await database.write { $0[.books].removeAll() }

    print(before[.books]["abc"]!.title, database.snapshot[.books].count)        // Dune 0
    for try await commit in changes.prefix(2) { print(commit.commitNumber) }    // 1, then 2
    return log.lines
}
