import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay
import YaprakStorage

/// What a repair saves, and what it says is lost, on a directory that is damaged in one known place.
@Suite(.bounded) struct RepairTests {
    let directory = TemporaryDirectory()

    private func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) }

    /// 100 commits with a checkpoint at 40, in small segments.
    private func prepare(_ name: String = "source", checkpointsAt: Set<Int> = [40]) async throws {
        var options = replayable()
        options.store.segmentBytesMax = 4 << 10
        let database = try await Database.open(at: path(name), options: options, collections: .books, .notes)
        for number in 1...100 {
            try await database.write { transaction in
                transaction[.notes]["last"] = "commit \(number)"
                transaction[.notes]["\(number)"] = "note"
                transaction[.books]["\(number % 13)"] = Book(title: "commit \(number)")
            }
            if checkpointsAt.contains(number) { try await database.checkpoint() }
        }
        try await database.close()
    }

    /// Changes a bit of the payload, or of the header, of the frame with a commit.
    private func damage(_ name: String = "source", commit: UInt64, at offset: Int = 70) async throws {
        var commits = try ReplayReader(path(name)).commits(
            from: CommitNumber(commit), through: CommitNumber(commit)
        ).makeAsyncIterator()
        let place = try #require(try await commits.next()).place
        try flip("\(path(name))/\(place.file ?? "")", Int(place.offset ?? 0) + offset)
    }

    private func flip(_ file: String, _ offset: Int) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes[offset] ^= 2
        try bytes.write(to: URL(fileURLWithPath: file))
    }

    /// Every file with its bytes.
    private func bytes(of name: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for folder in ["wal", "ckpt"] {
            for file in directory.files(in: "\(name)/\(folder)") {
                found["\(folder)/\(file)"] = try Data(
                    contentsOf: URL(fileURLWithPath: "\(path(name))/\(folder)/\(file)"))
            }
        }
        return found
    }

    @Test(arguments: [(70, 71), (70, 9), (12, 70), (12, 9)] as [(UInt64, Int)])
    func `The longest prefix is kept, and what is lost is reported with time and collections`(
        commit: UInt64, offset: Int
    ) async throws {
        try await prepare()
        let whole = try contents(path("source"))
        let expected = try contents(path("source"), at: 69)
        try await damage(commit: commit, at: offset)
        let before = try bytes(of: "source")
        let repair = try ReplayReader(path("source")).repair()
        // Damage before the checkpoint costs history, and no state.
        let losesHistory = commit < 40
        #expect(repair.last == (losesHistory ? 100 : CommitNumber(commit - 1)))
        #expect(repair.first == (losesHistory ? 40 : 0))
        #expect(repair.losses.map(\.commits) == (losesHistory ? [] : [CommitNumber(commit)...100]))
        #expect(repair.lostHistory?.commits == (losesHistory ? 1...40 : nil))
        #expect(repair.lostHistory.map { $0.place.file != nil } ?? true)
        #expect(repair.lastBeforeDamage == (losesHistory ? CommitNumber(commit - 1) : nil))
        if losesHistory {
            // What the result leaves out is not lost for good: a fork keeps it.
            let fork = try ReplayReader(path("source")).fork(at: repair.lastBeforeDamage, to: path("history"))
            #expect(fork.commitNumber == CommitNumber(commit - 1))
            #expect(try ReplayReader(path("history")).verify(.replay).severity == .clean)
            #expect(try contents(path("history")) == contents(path("source"), at: CommitNumber(commit - 1)))
        }
        #expect(repair.lostCommits.map(\.commitNumber.rawValue) == (losesHistory ? [] : Array(commit + 1...100)))
        #expect(repair.lostCommits.allSatisfy { $0.collections.contains("notes") })
        #expect(directory.files(in: "").filter { $0 != "history" } == ["source"], "nothing is written by planning")
        let verification = try repair.perform(to: path("repaired"))
        #expect(verification.findings.isEmpty, "\(verification.findings)")
        #expect(try contents(path("repaired")) == (losesHistory ? whole : expected))
        #expect(try bytes(of: "source") == before)
        let database = try await Database.open(at: path("repaired"), options: replayable(), collections: .books, .notes)
        #expect(database.commitNumber == repair.last)
        try await database.write { $0[.notes]["last"] = "after" }
        try await database.checkpoint()
        try await database.close()
        #expect(try ReplayReader(path("repaired")).verify(.replay).findings.isEmpty)
    }

    @Test(arguments: [71, 9])
    func `Salvage keeps what is behind the damage, and says so for ever`(offset: Int) async throws {
        try await prepare()
        var expected = try contents(path("source"))
        try await damage(commit: 70, at: offset)
        try await damage(commit: 80, at: offset)
        var options = ReplayRepair.Options()
        options.salvages = true
        let repair = try ReplayReader(path("source")).repair(options)
        #expect(repair.losses.map(\.commits) == [70...70, 80...80] && repair.isSalvaged && repair.last == 100)
        let verification = try repair.perform(to: path("repaired"))
        #expect(verification.severity == .clean && verification.findings.count == 1, "\(verification.findings)")
        expected.removeAll { $0.hasPrefix("notes 70 ") || $0.hasPrefix("notes 80 ") }
        #expect(try contents(path("repaired")) == expected)
        var commits = try ReplayReader(path("repaired")).commits(from: 70, through: 70).makeAsyncIterator()
        let lost = try #require(try await commits.next())
        #expect(lost.origin == ReplayRepair.lostOrigin && lost.collections.isEmpty)
        // Also when every file that the repair made is gone.
        var write = replayable()
        write.retention = .checkpoints(2)
        let database = try await Database.open(at: path("repaired"), options: write, collections: .books, .notes)
        for number in 0..<4 {
            try await database.write { $0[.notes]["last"] = "\(number)" }
            try await database.checkpoint()
        }
        try await database.close()
        #expect(try ReplayReader(path("repaired")).oldestCommitNumber() ?? 0 > 100)
        let later = try ReplayReader(path("repaired")).verify(.replay)
        #expect(later.severity == .clean && later.findings.contains { $0.message.contains("lost in a repair") })
    }

    @Test func `What a copy has is taken from it, frame by frame`() async throws {
        try await prepare()
        try FileManager.default.copyItem(atPath: path("source").string, toPath: path("backup").string)
        let whole = try contents(path("source"))
        let earlier = try contents(path("source"), at: 55)
        // Each has damage of its own, and the source has a whole file less.
        try await damage(commit: 60)
        try await damage(commit: 75, at: 9)
        try await damage("backup", commit: 50)
        try flip("\(path("source"))/ckpt/\(directory.files(in: "source/ckpt")[0])", 4200)
        let gone = try #require(directory.files(in: "source/wal").first { $0 > "0000000000000000009" })
        try FileManager.default.removeItem(atPath: "\(path("source"))/wal/\(gone)")
        #expect(try ReplayReader(path("source")).repair().last < 60)
        var options = ReplayRepair.Options()
        options.donor = path("backup")
        let repair = try ReplayReader(path("source")).repair(options)
        #expect(repair.losses.isEmpty && repair.last == 100 && repair.first == 0 && repair.checkpoints == [40])
        let verification = try repair.perform(to: path("repaired"))
        #expect(verification.findings.isEmpty, "\(verification.findings)")
        #expect(try contents(path("repaired")) == whole)
        #expect(try contents(path("repaired"), at: 55) == earlier)
    }

    @Test func `A copy of another database gives nothing`() async throws {
        try await prepare()
        try await prepare("other")
        try await damage(commit: 60)
        var options = ReplayRepair.Options()
        options.donor = path("other")
        #expect(try ReplayReader(path("source")).repair(options).last == 59)
    }

    @Test func `What is kept of views is dropped where it is damaged, or everywhere if that is asked for`() async throws
    {
        let view = AutoView(
            "titles", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.title, persistence: .checkpoints)
        let database = try await Database.open(at: path("source"), options: replayable(), collections: .books, .notes)
        try await database.register(view)
        for number in 1...4 {
            try await database.write { for n in 0..<90 { $0[.books]["\(n)"] = Book(title: "title \(n) \(number)") } }
            try await database.checkpoint()
        }
        try await database.close()
        // The last chunk of each file but the first is the view's.
        let checkpoints = directory.files(in: "source/ckpt")
        for file in checkpoints.dropFirst(2) {
            let size = try Data(contentsOf: URL(fileURLWithPath: "\(path("source"))/ckpt/\(file)")).count
            var offset = size
            repeat {
                offset -= 8
                try flip("\(path("source"))/ckpt/\(file)", offset)
                if try ReplayReader(path("source")).verify(.contents).severity == .derived { break }
                try flip("\(path("source"))/ckpt/\(file)", offset)
            } while offset > size / 2
            #expect(offset > size / 2)
            if file != checkpoints.last { try flip("\(path("source"))/ckpt/\(file)", offset) }
        }
        #expect(try ReplayReader(path("source")).verify(.replay).severity == .derived)
        for dropsAll in [false, true] {
            var options = ReplayRepair.Options()
            options.dropsDerived = dropsAll
            let repair = try ReplayReader(path("source")).repair(options)
            #expect(repair.checkpoints == [1, 2, 3, 4] && repair.losses.isEmpty)
            #expect(repair.checkpointsWithoutDerived == (dropsAll ? [1, 2, 3, 4] : [4]))
            let verification = try repair.perform(to: path("repaired \(dropsAll)"))
            #expect(verification.findings.isEmpty, "\(verification.findings)")
            let again = try await Database.open(
                at: path("repaired \(dropsAll)"), options: replayable(), collections: .books, .notes)
            try await again.register(view)
            #expect(again.snapshot[view]["sci-fi"].count == 90)
            try await again.close()
        }
    }

    @Test func `A database in use is not repaired, and nothing is replaced`() async throws {
        try await prepare()
        try FileManager.default.createDirectory(atPath: path("taken").string, withIntermediateDirectories: false)
        let repair = try ReplayReader(path("source")).repair()
        #expect(throws: DatabaseError.self) { try repair.perform(to: path("taken")) }
        let database = try await Database.open(at: path("source"), collections: .books)
        let error = #expect(throws: DatabaseError.self) { try repair.perform(to: path("repaired")) }
        #expect(error?.code == .alreadyOpen)
        try await database.close()
        #expect(directory.files(in: "") == ["source", "taken"])
    }

    @Test func `Damage at random leaves a prefix, or everything with its history cut, and always verifies`()
        async throws
    {
        try await prepare(checkpointsAt: [20, 60])
        let pristine = try bytes(of: "source")
        var states: [[String]] = []
        for number in 0...100 { states.append(try contents(path("source"), at: CommitNumber(UInt64(number)))) }
        let rounds = Soak.volume(15, soak: 2000)
        for seed in 0..<UInt64(rounds) {
            var random = SplitMix64(seed: seed)
            for _ in 0...random.below(3) {
                let name = pristine.keys.sorted()[random.below(pristine.count)]
                var bytes = try #require(pristine[name])
                let at = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[at] ^= 1 << UInt8(random.below(8))
                case 1: bytes.removeLast(bytes.count - at)
                default: bytes.resetBytes(in: at..<min(bytes.count, at + 512))
                }
                try bytes.write(to: URL(fileURLWithPath: "\(path("source"))/\(name)"))
            }
            for salvages in [false, true] {
                var options = ReplayRepair.Options()
                options.salvages = salvages
                let target = path("repaired")
                do {
                    let repair = try ReplayReader(path("source")).repair(options)
                    let report = try repair.perform(to: target)
                    #expect(
                        report.severity == .clean && report.newest == repair.last, "seed \(seed): \(report.findings)")
                    if !salvages {
                        let state = try contents(target)
                        #expect(state == states[Int(repair.last.rawValue)], "seed \(seed)")
                    }
                    try await Database.open(at: target, collections: .books, .notes).close()
                    try FileManager.default.removeItem(atPath: target.string)
                } catch let error as DatabaseError {
                    #expect(error.code == .notADatabase, "seed \(seed): \(error)")
                }
            }
            for (name, bytes) in pristine { try bytes.write(to: URL(fileURLWithPath: "\(path("source"))/\(name)")) }
        }
    }
}
