import Foundation
import SystemPackage
import TestSupport
import Testing
import YaprakModel

@testable import YaprakStorage

/// A lock file that is a hard link: what is written to it is in another place, too.
@Suite(.bounded) struct LinkedLockTests {
    private let files = PosixFileSystem()

    private func link(_ source: FilePath, _ target: FilePath) throws {
        try FileManager.default.linkItem(atPath: source.string, toPath: target.string)
    }

    // Who holds the lock, and where a close left the log, was written into whatever file the directory had under that name.
    @Test func `A lock file that is a hard link is not written to, and locks`() throws {
        try Harness.withTemporaryDirectory { folder in
            let (path, other) = (folder.appending("db"), folder.appending("precious"))
            var opened = try Opened(files, path)
            try opened.append(Harness.item(1))
            try opened.store.close()
            let content = Data(repeating: 42, count: 100)
            try content.write(to: URL(fileURLWithPath: other.string))
            let lock = path.appending("LOCK")
            // As an archive may bring it.
            try FileManager.default.removeItem(atPath: lock.string)
            try link(other, lock)
            opened = try Opened(files, path)
            #expect(opened.report.notes.contains { $0.contains("LOCK is a hard link") }, "\(opened.report.notes)")
            #expect { try Opened(files, path) } throws: { ($0 as? DatabaseError)?.code == .alreadyOpen }
            try opened.append(Harness.item(2))
            try opened.store.close()
            #expect(try Data(contentsOf: URL(fileURLWithPath: other.string)) == content)
            #expect(try reopened(files, path).get() == opened.items)
            // What the note says helps.
            try FileManager.default.removeItem(atPath: lock.string)
            opened = try Opened(files, path)
            #expect(opened.report.notes.isEmpty)
            try opened.append(Harness.item(3))
            try opened.store.close()
            #expect(ClosingMark.read(in: try files.openDirectory(path))?.last == 3)
            #expect(try Data(contentsOf: URL(fileURLWithPath: other.string)) == content)
        }
    }

    // The mark of the one was in the other, which said that it had lost commits.
    @Test func `A copy whose files are hard links stays whole when the other goes on`() throws {
        try Harness.withTemporaryDirectory { folder in
            let (path, copy) = (folder.appending("db"), folder.appending("copy"))
            var opened = try Opened(files, path)
            for number in 1...3 {
                try opened.append(Harness.item(number))
                if number == 2 { try opened.checkpoint() }
            }
            try opened.store.close()
            let before = opened.items
            for folder in ["wal", "ckpt"] {
                try FileManager.default.createDirectory(
                    atPath: copy.appending(folder).string, withIntermediateDirectories: true)
                for name in try FileManager.default.contentsOfDirectory(atPath: path.appending(folder).string) {
                    try link(path.appending(folder).appending(name), copy.appending(folder).appending(name))
                }
            }
            try link(path.appending("LOCK"), copy.appending("LOCK"))
            opened = try Opened(files, path)
            try opened.append(Harness.item(4))
            // They have one lock.
            let error = #expect(throws: DatabaseError.self) { try Opened(files, copy) }
            #expect(error?.code == .alreadyOpen)
            // The number in the file is that of who wrote it before it was a link.
            #expect(error?.message.contains("in process") == false)
            try opened.store.close()
            var other = try Opened(files, copy)
            #expect(other.items == before)
            try other.append(Harness.item(5))
            try other.store.close()
            #expect(try reopened(files, path).get() == opened.items)
            #expect(try reopened(files, copy).get() == other.items)
        }
    }
}
