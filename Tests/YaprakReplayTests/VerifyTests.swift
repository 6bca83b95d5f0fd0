import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay
import YaprakTrees

@testable import YaprakCore
@testable import YaprakStorage

/// Level 2: what the log leads to is what the checkpoints hold.
@Suite(.bounded) struct VerifyTests {
    let directory = TemporaryDirectory()

    private func path(_ name: String = "shop.yaprak") -> FilePath { FilePath(directory.appending(name)) }

    private func verify(_ path: FilePath) throws -> ReplayVerification {
        try ReplayReader(path).verify(.replay)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `A database that was opened, checkpointed and closed any number of times is clean`(seed: UInt64) async throws {
        try await writeShop(at: path(), commits: 120, seed: seed, checkpointsAt: [1, 40, 41, 120])
        for _ in 0..<3 {
            let database = try await Database.open(at: path(), options: replayable(), collections: .books, .notes)
            try await database.register(
                AutoView(
                    "ranks", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.rank,
                    persistence: .checkpoints)
            )
            try await database.write { $0[.books]["a"] = Book(title: "again") }
            try await database.checkpoint()
            try await database.write { $0[.books]["a"] = nil }
            try await database.close()
        }
        let progress = Progress()
        let report = try ReplayReader(path()).verify(.replay) { progress.note($0) }
        #expect(report.severity == .clean && report.findings.isEmpty, "seed \(seed): \(report.findings)")
        #expect(report.comparedCheckpointCount == 7 && report.newestCommitNumber == 126)
        #expect(progress.phases == [.checking, .replaying])
        #expect(progress.isMonotonous)
    }

    /// The last value of each phase.
    private final class Progress {
        var phases: [ReplayProgress.Phase] = []
        var last: UInt64 = 0
        var isMonotonous = true
        func note(_ progress: ReplayProgress) {
            if phases.last != progress.phase {
                phases.append(progress.phase)
                last = 0
            }
            if progress.done < last || progress.done > progress.total { isMonotonous = false }
            last = progress.done
        }
    }

    /// What a forged checkpoint does to the records of the real state.
    enum Lie: CaseIterable { case changed, missing, unknown, wrongDigest, wrongInfo, missingCollection, none }

    /// Writes a checkpoint of the newest commit whose sums are all right and whose content is a lie.
    private func plant(_ lie: Lie, at path: FilePath) throws {
        let (store, recovery) = try Store.open(path)
        try recovery.replay { _, _ in }
        var replay = RawReplay(timeline: Reclaimer().makeTimeline { Timeline(arena: Arena(), onGarbage: $0) })
        defer { replay.discard() }
        // A commit of the same opening, so that no other program with other types can have rewritten the record.
        let newest = recovery.report.newestCommitNumber.next()
        try append(newest, to: store)
        var commits = try StoreReader.open(path).commits(from: 1)
        while let commit = try commits.next() { try replay.apply(LoggedCommit(commit.item[...])) }
        let writer = try store.beginCheckpoint(at: newest)
        for (binding, root) in zip(replay.directory.bindings, replay.roots) where !root.isEmpty {
            if lie == .missingCollection, binding.name == "notes" { continue }
            let info = lie == .wrongInfo && binding.name == "notes" ? [0x01] : SectionInfo(version: 1).bytes
            try writer.beginSection(kind: 1, name: binding.name, info: info, asOf: newest)
            var digest = StateDigest()
            var count = 0
            func add(_ box: RecordBox) throws {
                let buffer = CBORWriter()
                try RecordItem.write(box, of: binding, sectionVersion: 1, to: buffer)
                buffer.withBytes { digest.add($0) }
                try writer.append(buffer.bytes)
                count += 1
            }
            try root.forEach { row in
                let box = unsafeDowncast(row, to: RawRecord.self)
                let isChosen = binding.name == "notes" && box.key == "last"
                if isChosen, lie == .missing { return }
                try add(
                    isChosen && lie == .changed
                        ? RawRecord(key: box.key, object: [0x61, 0x78], metadata: nil, version: 1) : box)
            }
            if lie == .unknown, binding.name == "notes" {
                try add(RawRecord(key: "zzz", object: [0x61, 0x78], metadata: nil, version: 1))
            }
            try writer.endSection(count: count, digest: lie == .wrongDigest ? digest.value &+ 1 : digest.value)
        }
        try writer.finish()
        try store.close()
    }

    /// Appends a commit that sets one note, as the engine would write it.
    private func append(_ number: CommitNumber, to store: Store) throws {
        let writer = CBORWriter()
        writer.writeMapHead(count: 3)
        writer.write(text: "c")
        writer.writeArrayHead(count: 1)
        writer.writeArrayHead(count: 4)
        writer.write(text: "notes")
        writer.write(unsigned: 1)
        writer.write(false)
        writer.writeArrayHead(count: 1)
        writer.writeArrayHead(count: 3)
        writer.write(text: "last")
        writer.write(unsigned: UInt64(ChangeKinds.objectChanged.rawValue))
        writer.write(text: "the last one")
        writer.write(text: "n")
        writer.write(unsigned: number.rawValue)
        writer.write(text: "t")
        writer.write(unsigned: 0)
        try store.append(number: number, item: writer.bytes) { _ in }
        try store.flush()
    }

    @Test(arguments: Lie.allCases)
    func `A checkpoint of another state is corrupt, though every sum is right`(lie: Lie) async throws {
        try await writeShop(at: path(), commits: 30, seed: 9, checkpointsAt: [10])
        try plant(lie, at: path())
        #expect(try ReplayReader(path()).verify(.contents).severity == .clean)
        let report = try verify(path())
        guard lie != .none else {
            #expect(report.severity == .clean, "\(report.findings)")
            return
        }
        #expect(report.severity == .corrupt)
        let finding = try #require(report.findings.first)
        if lie != .wrongDigest, lie != .wrongInfo { #expect(finding.place.collectionName == "notes") }
        #expect(finding.place.file?.contains("00031-") == true)
        switch lie {
        case .changed, .missing: #expect(finding.place.key == "last")
        case .unknown: #expect(finding.place.key == "zzz")
        default: break
        }
    }

    @Test func `Records that a program with other types rewrote are a note, not damage`() async throws {
        struct Old: Codable { var title: String, genre: String, rank: Int, extra: Int }
        let old = RecordCollection<Old, Int>("books")
        var database = try await Database.open(at: path(), options: replayable(), collections: old)
        for number in 1...20 {
            try await database.write {
                $0[old].set(Old(title: "t", genre: "g", rank: number, extra: 1), metadata: number, for: "\(number)")
            }
        }
        try await database.checkpoint()
        try await database.write { $0[old]["21"] = Old(title: "t", genre: "g", rank: 21, extra: 1) }
        try await database.close()
        // The new type has no `extra`: every record is written without it into the next checkpoint.
        database = try await Database.open(at: path(), options: replayable(), collections: .books)
        try await database.write { $0[.books]["22"] = Book(title: "new") }
        // What this program wrote of the record is its metadata; its object is what the other one wrote.
        try await database.write { $0[.books].replaceMetadata(5, for: "1") }
        try await database.checkpoint()
        try await database.write { $0[.books]["23"] = Book(title: "new") }
        try await database.checkpoint()
        try await database.close()
        let report = try verify(path())
        #expect(report.severity == .clean && report.findings.count == 1, "\(report.findings)")
        #expect(report.findings.first?.message.hasPrefix("21 records") == true)
        #expect(report.comparedCheckpointCount == 3)
    }

    @Test func `Records that were set aside are listed and no damage`() async throws {
        try await writeShop(at: path(), commits: 12, seed: 4, checkpointsAt: [6])
        let books = RecordCollection<Int, Int>("books").configured { $0.undecodable = .setAside }
        let database = try await Database.open(at: path(), options: replayable(), collections: books)
        try await database.write { $0[books]["number"] = 1 }
        try await database.checkpoint()
        let aside = database.snapshot.setAsideKeys(inCollectionNamed: "books")
        try await database.close()
        let report = try verify(path())
        #expect(report.severity == .clean, "\(report.findings)")
        #expect(report.setAside.map(\.key) == aside && report.setAsideRecordCount == aside.count && !aside.isEmpty)
        #expect(report.setAside.allSatisfy { $0.collectionName == "books" })
    }

    @Test func `Damage in what is kept of a view is 8, and the database opens and recomputes the view`() async throws {
        let view = AutoView(
            "ranks", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.rank, persistence: .checkpoints)
        var database = try await Database.open(at: path(), options: replayable(), collections: .books, .notes)
        try await database.register(view)
        try await database.write { for n in 0..<200 { $0[.books]["\(n)"] = Book(title: "t\(n)", rank: n) } }
        try await database.checkpoint()
        try await database.close()
        // The segments go, so that the checkpoint is all there is.
        let checkpoint = try #require(try StoreReader.open(path()).checkpoints().last)
        let reader = try #require(try StoreReader.open(path()).open(checkpoint))
        let section = try #require(reader.sections.first { $0.kind == SectionKind.derivedRoot.rawValue })
        let file = URL(fileURLWithPath: path().string + "/" + checkpoint.file)
        let whole = try Data(contentsOf: file)
        // A bit of the payload, of the chunk's header, of the section's head.
        for offset in [section.chunks[0].offset + 70, section.chunks[0].offset + 9, section.chunks[0].offset - 60] {
            var bytes = whole
            bytes[Int(offset)] ^= 4
            try bytes.write(to: file)
            for level in [ReplayVerification.Level.contents, .replay] {
                let report = try ReplayReader(path()).verify(level)
                #expect(report.severity == .derived && report.severity.exitCode == 8, "\(offset): \(report.findings)")
                #expect(report.findings.first?.message.contains("\"ranks\"") == true)
            }
            database = try await Database.open(at: path(), options: replayable(), collections: .books, .notes)
            #expect(database.recoveryReport?.checkpointCommitNumber == 1 && database.recoveryReport?.notes.count == 1)
            let host = try await database.register(view)
            #expect(await host.origin != .adopted)
            #expect(database.snapshot[view]["sci-fi"].count == 200)
            try await database.close()
        }
        // A bit in the records is another matter.
        let records = try #require(reader.sections.first { $0.kind == SectionKind.records.rawValue })
        var bytes = whole
        bytes[Int(records.chunks[0].offset) + 70] ^= 4
        try bytes.write(to: file)
        #expect(try verify(path()).severity == .corrupt)
    }

    @Test func `A section of kind 3 is what the engine calls derived`() {
        #expect(SectionKind.derivedRoot.rawValue == Layout.derivedSectionKind)
    }

    @Test func `A writer at full speed gives no findings, whatever it appends, rotates and prunes`() async throws {
        var options = DatabaseOptions()
        options.durability = .relaxed
        options.checkpoints = .manual
        options.store.segmentBytesMax = 32 << 10
        let database = try await Database.open(at: path(), options: options, collections: .books)
        let isDone = Flag()
        let (rounds, newest) = try await withThrowingTaskGroup(of: (Int, CommitNumber).self) { group in
            for writer in 0..<2 {
                group.addTask {
                    for number in 1... {
                        if isDone.isSet { break }
                        if writer == 0, number % 40 == 0 { try await database.checkpoint() }
                        try await database.write { transaction in
                            for part in 0..<4 {
                                transaction[.books]["\(writer) \((number * 7 + part) % 300)"] = Book(
                                    title: String(repeating: "\(number) ", count: 20), rank: number)
                            }
                        }
                    }
                    return (0, .zero)
                }
            }
            let path = path()
            group.addTask {
                defer { isDone.set() }
                let rounds = ProcessInfo.processInfo.environment["YAPRAK_SOAK"] == nil ? 25 : 500
                var newest = CommitNumber.zero
                // Until the writer has pruned behind the reader's back, too.
                var round = 0
                while try round < rounds || ReplayReader(path).oldestCommitNumber() ?? 0 <= 1 {
                    round += 1
                    let level = ReplayVerification.Level(rawValue: round % 3) ?? .replay
                    let report = try ReplayReader(path).verify(level)
                    // A file in progress may be noted; nothing else.
                    let findings = report.findings.filter { $0.place.file?.hasSuffix(".tmp") != true }
                    #expect(findings.isEmpty && report.severity == .clean, "round \(round): \(findings)")
                    #expect(report.newestCommitNumber >= newest)
                    newest = report.newestCommitNumber
                    // Checking blocks its thread, and there may be two for all tests: the writers want one, too.
                    await Task.yield()
                }
                return (rounds, newest)
            }
            var result = (0, CommitNumber.zero)
            for try await one in group where one.0 > 0 { result = one }
            return result
        }
        #expect(rounds > 0 && newest > 0)
        try await database.close()
        #expect(try verify(path()).severity == .clean)
        let kept = try ReplayReader(path()).oldestCommitNumber() ?? 0
        #expect(kept > 1, "something was pruned meanwhile")
    }
}
