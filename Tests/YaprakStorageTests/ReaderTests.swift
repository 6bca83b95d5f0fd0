import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

@Suite(.bounded) struct ReaderTests {
    @Test func `A reader follows a writer from segment to segment`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        try opened.append(Harness.item(1))
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        var commits = try reader.commits(from: 1)
        var seen: [[UInt8]] = []
        for n in 2...60 {
            while let commit = try commits.next() {
                seen.append(commit.item)
                #expect(commit.number.rawValue == UInt64(seen.count))
            }
            #expect(seen == opened.items)
            #expect(try reader.newest().rawValue == UInt64(n - 1))
            try opened.append(Harness.item(n, bytes: 400, compressible: false))
            if n % 25 == 0 { try opened.checkpoint() }
        }
        #expect(try reader.segments().count == disk.names("/db/wal").count)
        #expect(try reader.checkpoints().map(\.number) == [25, 50])
        #expect(try reader.checkpoint(atOrBefore: 49)?.number == 25)
        try opened.store.close()
        var tail = try reader.commits(from: 55, through: 57)
        var numbers: [UInt64] = []
        while let commit = try tail.next() { numbers.append(commit.number.rawValue) }
        #expect(numbers == [55, 56, 57])
        #expect(try reader.verify(level: 1).exitCode == 0)
    }
}
