import Foundation
import TestSupport
import Testing
import Yaprak

// snippet: keys-number
/// A key whose order is that of its number.
func orderedKey(_ number: UInt64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 20 - digits.count) + digits
}
// end

/// The programs of the section on keys.
@Suite(.bounded) struct KeysPageTests {
    @Test func `Padded numbers are in order, and parts of a key are found by their prefix`() async throws {
        let database = Database.inMemory()
        // snippet: keys-parts
        try await database.write { transaction in
            for number in [10, 9, 100] as [UInt64] {
                transaction[.books]["herbert/\(orderedKey(number))"] = Book(title: "Volume \(number)")
            }
            // The next number of this author.
            let last = transaction[.books].rows[prefix: "herbert/"].last?.key.split(separator: "/").last
            let next = (last.flatMap { UInt64($0) } ?? 0) + 1
            transaction[.books]["herbert/\(orderedKey(next))"] = Book(title: "Volume \(next)")
            // A key that no other device makes.
            transaction[.books][UUID().uuidString] = Book(title: "A book of nobody")
        }
        let titles = database.snapshot[.books][prefix: "herbert/"].objects.map(\.title)  // 9, 10, 100, 101
        // end
        #expect(Array(titles) == [9, 10, 100, 101].map { "Volume \($0)" })
        #expect(database.snapshot[.books].count == 5)
    }

    @Test func `The greatest and the least number have keys`() {
        #expect(orderedKey(.max) == "\(UInt64.max)" && orderedKey(0) < orderedKey(1))
    }
}
