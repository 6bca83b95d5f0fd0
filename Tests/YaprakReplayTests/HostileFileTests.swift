import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

@testable import YaprakCore
@testable import YaprakStorage

/// Files whose sums are all right and whose content no writer of ours has written: a typed error or a whole state, in
/// memory that is in proportion to the file.
@Suite(.bounded) struct HostileFileTests {
    let directory = TemporaryDirectory()

    private var path: FilePath { FilePath(directory.appending("hostile.yaprak")) }

    private static let texts = RecordCollection<String, NoMetadata>("texts")

    private func open(typed: Bool = true) async throws -> Database {
        if typed { return try await Database.open(at: path, options: replayable(), collections: Self.texts) }
        return try await Database.open(at: path, options: replayable())
    }

    /// What opening throws.
    private func refusal(typed: Bool = true) async -> DatabaseError? {
        await #expect(throws: DatabaseError.self) { try await open(typed: typed).close() }
    }

    // MARK: Checkpoints

    /// A checkpoint of commit 5 with records of these keys, in this order, in chunks of `chunk` records.
    private func plant(_ keys: [String], chunk: Int = 1000, _ more: (CheckpointWriter) throws -> Void = { _ in }) throws
    {
        var options = StoreOptions()
        options.chunkBytes = 1
        let writer = try Store.createStandalone(path, at: 5, options: options)
        try writer.beginSection(kind: 1, name: "texts", info: SectionInfo(version: 1).bytes, asOf: 5)
        var digest = StateDigest()
        for start in stride(from: 0, to: keys.count, by: chunk) {
            let items = CBORWriter()
            for key in keys[start..<min(keys.count, start + chunk)] {
                let item = CBORWriter()
                item.writeArrayHead(count: 2)
                item.write(text: key)
                item.write(text: "value of \(key.count)")
                item.withBytes { digest.add($0) }
                items.write(encoded: item.bytes)
            }
            try writer.append(items.bytes)
        }
        try writer.endSection(count: keys.count, digest: digest.value)
        try more(writer)
        try writer.finish()
    }

    @Test(
        arguments: [["b", "a"], ["a", "a"], ["a", "c", "b", "d"], ["a", "b", "b"], ["é", "z"]], [true, false])
    func `A checkpoint with records out of order or doubled is refused, and verify names it`(
        keys: [String], typed: Bool
    ) async throws {
        for chunk in [1, 1000] {
            try? FileManager.default.removeItem(atPath: path.string)
            try plant(keys, chunk: chunk)
            let error = await refusal(typed: typed)
            #expect(
                error?.code == .corruptCheckpoint && error?.place.collectionName == "texts",
                "\(String(describing: error))")
            #expect(error?.place.file?.hasSuffix(".ckpt") == true && error?.place.key != nil)
            let report = try ReplayReader(path).verify(.replay)
            #expect(report.severity == .corrupt, "\(report.findings)")
            #expect(report.findings.contains { $0.place.file?.hasSuffix(".ckpt") == true })
            #expect(throws: DatabaseError.self) { try ReplayReader(path).snapshot(at: 5) }
        }
    }

    @Test(arguments: [true, false])
    func `Records whose normal form has another order than their bytes are sorted`(typed: Bool) async throws {
        // What newer tables of Unicode can do to keys that stood in order: decomposed here, composed when read.
        let keys = ["e\u{301}", "f", "g", "o\u{308}", "z"]
        for chunk in [1, 1000] {
            try? FileManager.default.removeItem(atPath: path.string)
            try plant(keys, chunk: chunk)
            let database = try await open(typed: typed)
            if !typed { try await database.bind(Self.texts) }
            #expect(database.snapshot[Self.texts].map(\.key) == ["f", "g", "z", "\u{e9}", "\u{f6}"])
            #expect(database.snapshot[Self.texts]["\u{e9}"] == "value of 1")
            try await database.close()
        }
    }

    @Test func `Two records that have become one key are an error that says so`() async throws {
        try plant(["e\u{301}", "f", "\u{e9}"])
        let error = await refusal()
        #expect(error?.code == .corruptCheckpoint && error?.place.key == "\u{e9}")
    }

    @Test(arguments: 0..<4)
    func `A kept view that makes no sense blocks nothing and is computed`(what: Int) async throws {
        let view = AutoView(
            "lengths", versionTag: "1", of: Self.texts, groupedBy: \.count.description, sortedBy: \.self,
            persistence: .checkpoints)
        try plant(["a", "b", "c"]) { writer in
            let info = what == 1 ? [0x01] : SectionInfo(tag: "1").bytes
            try writer.beginSection(kind: 3, name: "lengths", info: info, asOf: what == 2 ? 4 : 5)
            // An integer where bytes should be; then a byte string that is no view.
            try writer.append(what == 0 ? [0x01] : [0x41, 0x01])
            try writer.endSection(count: 1, digest: 0)
        }
        let report = try ReplayReader(path).verify(.replay)
        #expect(report.severity == (what == 3 ? .clean : .derived), "\(report.findings)")
        let database = try await open()
        #expect(database.snapshot[Self.texts].count == 3)
        #expect(what == 3 || database.recoveryReport?.notes.contains { $0.contains("lengths") } == true)
        try await database.register(view)
        #expect(database.snapshot[view]["10"].count == 3)
        try await database.close()
    }

    // Rows of the second took the place of the first ones under a binding that those had been decoded for, and were read as what
    // they are not; or took their place without a word.
    @Test(arguments: [true, false], [true, false])
    func `Two sections of records of one collection are refused`(typed: Bool, decodes: Bool) async throws {
        try plant(["a"]) { writer in
            let item = CBORWriter()
            item.writeArrayHead(count: 2)
            item.write(text: "z")
            if decodes { item.write(text: "second") } else { item.write(unsigned: 7) }
            var digest = StateDigest()
            item.withBytes { digest.add($0) }
            try writer.beginSection(kind: 1, name: "texts", info: SectionInfo(version: 1).bytes, asOf: 5)
            try writer.append(item.bytes)
            try writer.endSection(count: 1, digest: digest.value)
        }
        let error = await refusal(typed: typed)
        #expect(
            error?.code == .corruptCheckpoint && error?.place.collectionName == "texts",
            "\(String(describing: error))")
        #expect(try ReplayReader(path).verify(.replay).severity == .corrupt)
    }

    // MARK: Commits

    /// A log with one commit that consists of these fields besides its number and time.
    private func log(_ fields: [(String, [UInt8])]) throws {
        try? FileManager.default.removeItem(atPath: path.string)
        let (store, recovery) = try Store.open(path)
        try recovery.replay { _, _ in }
        let writer = CBORWriter(capacity: 1 << 16)
        writer.writeMapHead(count: 2 + fields.count)
        for (name, item) in fields + [("n", [0x01]), ("t", [0x01])] {
            writer.write(text: name)
            writer.write(encoded: item)
        }
        try store.append(number: 1, item: writer.bytes) { _ in }
        try store.flush()
        try store.close()
    }

    /// An array of `count` times the same item.
    private func array(_ count: Int, of item: [UInt8]) -> [UInt8] {
        let writer = CBORWriter(capacity: count * item.count + 16)
        writer.writeArrayHead(count: count)
        var items = item
        while items.count < count * item.count { items += items }
        return writer.bytes + items.prefix(count * item.count)
    }

    private func collection(_ operations: [UInt8], named name: String = "x") -> [UInt8] {
        let writer = CBORWriter()
        writer.writeArrayHead(count: 4)
        writer.write(text: name)
        return writer.bytes + [0x01, 0xf4] + operations
    }

    // Earlier builds wrote into both what a replay with types keeps beside migrated records: `write(to:)` of its snapshot, and a
    // restore from that. Nobody saw it, nothing removed it, and each checkpoint had it again.
    @Test(arguments: [true, false])
    func `Older forms of records in a checkpoint or in a commit are left out`(typed: Bool) async throws {
        let older = "\u{0}older/texts"
        try plant(["a"]) { writer in
            let item = CBORWriter()
            item.writeArrayHead(count: 2)
            item.write(text: "a")
            item.write(unsigned: 7)
            var digest = StateDigest()
            item.withBytes { digest.add($0) }
            try writer.beginSection(kind: 1, name: older, info: SectionInfo(version: 1).bytes, asOf: 5)
            try writer.append(item.bytes)
            try writer.endSection(count: 1, digest: digest.value)
        }
        try await expectTextsAlone(typed: typed)
        // `[["a", inserted, "x"]]`
        let operations: [UInt8] = [0x81, 0x83, 0x61, 0x61, 0x01, 0x61, 0x78]
        try log([("c", [0x82] + collection(operations, named: older) + collection(operations, named: "texts"))])
        #expect(try ReplayReader(path).snapshot().collectionNames == ["texts"])
        try await expectTextsAlone(typed: typed)
    }

    /// Expects one record, which can be removed.
    private func expectTextsAlone(typed: Bool) async throws {
        let database = try await open(typed: typed)
        let number = database.commitNumber
        #expect(database.snapshot.collectionNames == ["texts"] && database.snapshot.count == 1)
        #expect(database.recoveryReport?.setAsideRecordCount == 0)
        for _ in 0..<2 { try await database.write { $0.removeAll() } }
        #expect(database.commitNumber == number.next(), "there is nothing to remove the second time")
        try await database.checkpoint()
        try await database.close()
        let report = try ReplayReader(path).verify(.replay)
        #expect(report.severity == .clean, "\(report.findings)")
    }

    @Test func `A small file with millions of operations is refused, not held`() async throws {
        let many = DatabaseLimits.elementsMax(inCommitOf: 0) + 1
        try log([("c", array(1, of: collection(array(many, of: [0x82, 0x60, 0x08]))))])
        let error = await refusal()
        #expect(error?.code == .corruptLog && error?.place.commits == 1...1, "\(String(describing: error))")
        #expect(try ReplayReader(path).verify(.replay).severity == .corrupt)
    }

    @Test func `Operations, steps and histories are bounded together, collections by themselves`() {
        let many = DatabaseLimits.elementsMax(inCommitOf: 0) + 1
        let half = collection(array(many / 2 + 1, of: [0x82, 0x60, 0x08]))
        for (field, item) in [
            ("c", array(2, of: half)), ("x", array(many, of: [0x82, 0x60, 0x00])),
            ("v", array(many, of: [0x82, 0x60, 0x60])),
            ("c", array(DatabaseLimits.collectionsMax + 1, of: collection([0x80]))),
        ] {
            let writer = CBORWriter(capacity: item.count + 16)
            writer.writeMapHead(count: 1)
            writer.write(text: field)
            writer.write(encoded: item)
            let error = #expect(throws: DatabaseError.self) { try LoggedCommit(writer.bytes[...]) }
            #expect(error?.code == .corruptLog)
        }
    }

    @Test func `Keys and names beyond what a writer may write are refused`() async throws {
        func text(_ count: Int) -> [UInt8] {
            let writer = CBORWriter(capacity: count + 16)
            writer.write(text: String(repeating: "k", count: count))
            return writer.bytes
        }
        let key = [0x83] + text(DatabaseLimits.storedKeyBytesMax + 1) + [0x01, 0x01]
        for fields in [
            [("c", array(1, of: collection(array(1, of: key))))],
            [("c", array(1, of: collection([0x80], named: String(repeating: "n", count: 2000))))],
            [("x", array(1, of: [0x82] + text(2000) + [0x00]))],
        ] {
            try log(fields)
            #expect(await refusal()?.code == .corruptLog)
        }
        try? FileManager.default.removeItem(atPath: path.string)
        try plant([String(repeating: "k", count: DatabaseLimits.storedKeyBytesMax + 1)])
        #expect(await refusal()?.code == .corruptCheckpoint)
    }

    // They were crossed sixteen thousand numbers at a time backwards, and a thousand forwards.
    @Test(arguments: [100, 1 << 20, 1 << 40, UInt64(Int64.max) - 1])
    func `A hole costs nothing, whatever its length, forwards and backwards`(behind: UInt64) async throws {
        let (store, _) = try Store.open(path)
        let writer = LogWriter(
            directory: store.directory.segments, options: StoreOptions(), lineage: store.lineage, epoch: store.epoch,
            tail: LogTail())
        let numbers = [1, 2, 3, behind, behind + 1]
        for number in numbers {
            if number == behind { try writer.startSegment(afterHoleBefore: behind) }
            if number == 1 { try writer.startSegment() }
            let item = CBORWriter()
            item.writeMapHead(count: 3)
            for (name, value) in [("c", nil), ("n", number), ("t", 1)] as [(String, UInt64?)] {
                item.write(text: name)
                if let value { item.write(unsigned: value) } else { item.writeArrayHead(count: 0) }
            }
            try writer.write([item.bytes])
        }
        try writer.close()
        try store.close()
        let reader = try ReplayReader(path)
        var backwards: [UInt64] = []
        for try await commit in try reader.commitsBackwards() { backwards.append(commit.commitNumber.rawValue) }
        #expect(backwards == numbers.reversed())
        let index = CommitIndex(reader)
        for _ in 0..<2 {
            #expect(try index.entries(in: 1...CommitNumber(.max)).map(\.number.rawValue) == numbers)
        }
        #expect(try index.entries(in: 4...CommitNumber(behind - 1)).isEmpty)
    }

    // The number of the frame was checked, and the one in the commit believed: readers computed with it, and trapped.
    @Test(arguments: [
        [0xa1, 0x61, 0x63, 0x80] as [UInt8],
        [0xa3, 0x61, 0x63, 0x80, 0x61, 0x6e, 0x1b] + [UInt8](repeating: 0xff, count: 8) + [0x61, 0x74, 0x01],
    ])
    func `A commit that calls itself another one is an error for every reader`(item: [UInt8]) throws {
        let (store, recovery) = try Store.open(path)
        try recovery.replay { _, _ in }
        try store.append(number: 1, item: item) { _ in }
        try store.flush()
        try store.close()
        let reader = try ReplayReader(path)
        #expect(try reader.newestCommitNumber() == 1)
        let error = #expect(throws: DatabaseError.self) { try CommitIndex(reader).activity(in: 1...1, slicesMax: 1) }
        #expect(error?.code == .corruptLog)
        #expect(throws: DatabaseError.self) {
            var revisions = reader.history(ofKey: "k", inCollectionNamed: "x").makeAsyncIterator()
            while try revisions.next() != nil {}
        }
        #expect(throws: DatabaseError.self) {
            var commits = reader.commits().makeAsyncIterator()
            while try commits.next() != nil {}
        }
    }

    @Test func `What the limits let a program write, the next opening reads`() async throws {
        var options = replayable()
        options.limits.keyBytesMax = .max
        options.limits.operationsMax = .max
        let key = String(repeating: "k", count: DatabaseLimits.storedKeyBytesMax)
        let database = try await Database.open(at: path, options: options, collections: Self.texts)
        try await database.write { $0[Self.texts][key] = "long" }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[Self.texts][key + "k"] = "too long" }
        }
        #expect(error?.code == .keyTooLong)
        try await database.close()
        let again = try await open()
        #expect(again.snapshot[Self.texts][key] == "long")
        try await again.close()
        #expect(try ReplayReader(path).verify(.replay).severity == .clean)
    }
}
