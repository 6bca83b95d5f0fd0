import Foundation
import TestSupport
import Testing
import YaprakModel

@testable import YaprakCore

/// Commits with right checksums that say nothing a writer would say.
@Suite(.bounded) struct LoggedCommitTests {
    /// `{"c": [["a", 1, false, [["k", kinds, part?]]]], "n": 1, "t": 0}`
    private func commit(kinds: [UInt8], part: [UInt8] = []) throws -> LoggedCommit {
        let operation: [UInt8] = [part.isEmpty ? 0x82 : 0x83, 0x61, 0x6B] + kinds + part
        return try LoggedCommit(
            ([0xA3, 0x61, 0x63, 0x81, 0x84, 0x61, 0x61, 0x01, 0xF4, 0x81] + operation
                + [0x61, 0x6E, 0x01, 0x61, 0x74, 0x00])[...])
    }

    @Test(arguments: [[0x01], [0x04], [0x0C], [0x18, 0x48]] as [[UInt8]])
    func `An operation that sets an object and has none is damage`(kinds: [UInt8]) throws {
        let error = #expect(throws: DatabaseError.self) { try commit(kinds: kinds) }
        #expect(error?.code == .corruptLog)
        #expect(try commit(kinds: kinds, part: [0x05]).collections.first?.operations.first?.object == [0x05])
    }

    @Test(arguments: [[0x18, 0x80], [0x18, 0x81], [0x18, 0xC1]] as [[UInt8]])
    func `A kind of change that there is not is damage`(kinds: [UInt8]) {
        let error = #expect(throws: DatabaseError.self) { try commit(kinds: kinds, part: [0x05]) }
        #expect(error?.code == .corruptLog)
    }

    @Test(arguments: [[0x02], [0x08], [0x10], [0x18, 0x20]] as [[UInt8]])
    func `An operation without a new object needs none`(kinds: [UInt8]) throws {
        #expect(try commit(kinds: kinds).collections.first?.operations.count == 1)
    }

    @Test func `The commit on the page of the format is one`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Sources/Yaprak/Yaprak.docc/Format.md"), encoding: .utf8)
        let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("a3 61 63 81 ") })
        let bytes = line.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        let commit = try LoggedCommit(bytes[...])
        let collection = try #require(commit.collections.first)
        let operation = try #require(collection.operations.first)
        #expect(commit.number.rawValue == 1 && commit.nanoseconds == 0)
        #expect(collection.name == "books" && collection.version == 1 && !collection.isCleared)
        #expect(operation.key == "abc" && operation.kinds == .inserted && operation.metadata == nil)
        #expect(operation.object == [0x65, 0x68, 0x65, 0x6C, 0x6C, 0x6F])
    }
}
