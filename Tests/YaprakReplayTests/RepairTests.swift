import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
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

    // Its log had a name with eleven digits, which no reader takes for one: the result was said to be clean, and had lost it.
    @Test func `A file with the last epoch there is stops a repair, and not its log`() async throws {
        try await prepare()
        let stray = "00000000000000000041-9999999999.ckpt"
        try Data().write(to: URL(fileURLWithPath: "\(path("source"))/ckpt/\(stray)"))
        let error = #expect(throws: DatabaseError.self) { try ReplayReader(path("source")).repair() }
        #expect(error?.code == .overLimit && error?.message.contains(stray) == true, "\(String(describing: error))")
        try FileManager.default.removeItem(atPath: "\(path("source"))/ckpt/\(stray)")
        #expect(try ReplayReader(path("source")).repair().lastCommitNumber == 100)
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

    @Test(arguments: [71, 9])
    func `Behind the last checkpoint the prefix is kept, and what is lost is reported with time and collections`(
        offset: Int
    ) async throws {
        try await prepare()
        let expected = try contents(path("source"), at: 69)
        try await damage(commit: 70, at: offset)
        let before = try bytes(of: "source")
        let repair = try ReplayReader(path("source")).repair()
        #expect(repair.firstCommitNumber == 0 && repair.lastCommitNumber == 69 && repair.holes.isEmpty)
        #expect(repair.losses.map(\.commits) == [70...100])
        #expect(repair.lostCommits.map(\.commitNumber.rawValue) == Array(71...100))
        #expect(repair.lostCommits.allSatisfy { $0.collections.contains("notes") })
        #expect(directory.files(in: "") == ["source"], "nothing is written by planning")
        let verification = try repair.perform(to: path("repaired"))
        #expect(verification.findings.isEmpty, "\(verification.findings)")
        #expect(try contents(path("repaired")) == expected)
        #expect(try bytes(of: "source") == before)
        try await goOn("repaired", from: 69)
        #expect(try ReplayReader(path("repaired")).verify(.replay).findings.isEmpty)
    }

    @Test func `The result of a repair takes a path given as a string, and a URL`() async throws {
        try await prepare()
        let repair = try ReplayReader(path("source")).repair()
        let folder = URL(filePath: directory.path)
        #expect(try repair.perform(to: "\(directory.path)/text").severity == .clean)
        #expect(try repair.perform(to: folder.appending(path: "url")).severity == .clean)
        #expect(directory.files(in: "") == ["source", "text", "url"])
        let error = #expect(throws: DatabaseError.self) {
            try repair.perform(to: URL(string: "https://example.org/a")!)
        }
        #expect(error?.code == .notADatabase)
    }

    /// Opens, writes, and closes a database, with a checkpoint.
    private func goOn(_ name: String, from number: CommitNumber) async throws {
        let database = try await Database.open(at: path(name), options: replayable(), collections: .books, .notes)
        #expect(database.commitNumber == number)
        try await database.write { $0[.notes]["last"] = "after" }
        try await database.checkpoint()
        try await database.close()
    }

    @Test(arguments: [70, 9])
    func `Before a checkpoint only what can't be read is missing, and the result says so permanently`(offset: Int)
        async throws
    {
        try await prepare()
        let source = try ReplayReader(path("source"))
        var states: [[String]] = []
        for number in 0...100 { states.append(try contents(path("source"), at: CommitNumber(UInt64(number)))) }
        try await damage(commit: 12, at: offset)
        // The damage is crossed by the checkpoint behind it.
        #expect(try source.changes(from: 11, to: 70).count == 60 + 13)
        let before = try bytes(of: "source")
        let repair = try source.repair()
        #expect(repair.firstCommitNumber == 0 && repair.lastCommitNumber == 100)
        #expect(repair.losses.isEmpty && !repair.isSalvaged)
        #expect(repair.holes.map(\.loss.commits) == [12...12] && repair.holes.map(\.nextStateCommitNumber) == [40])
        #expect(repair.holes.allSatisfy { $0.loss.place.file != nil })
        let verification = try repair.perform(to: path("repaired"))
        #expect(verification.severity == .clean && verification.findings.map(\.place.commits) == [12...12])
        #expect(try bytes(of: "source") == before)
        try await expectHole("repaired", states)
        let newest = try await Database.replay(path("repaired"), collections: .books, .notes)
        #expect(newest.commitNumber == 100 && contents(newest.snapshot) == states[100])
        // Without the checkpoint behind it nothing leads across: opening says so, and changes nothing.
        try FileManager.default.copyItem(atPath: path("repaired").string, toPath: path("crossed").string)
        try flip("\(path("crossed"))/ckpt/\(directory.files(in: "crossed/ckpt")[0])", 4200)
        let crossed = try bytes(of: "crossed")
        let error = await #expect(throws: DatabaseError.self) {
            try await Database.open(at: path("crossed"), options: replayable(), collections: .books, .notes)
        }
        #expect(error?.code == .corruptLog && error?.place.commits == 12...12, "\(error as Any)")
        #expect(try bytes(of: "crossed") == crossed)
        // It stays when a program has written on, when it is repaired again, and in forks on both sides.
        try await goOn("repaired", from: 100)
        let again = try ReplayReader(path("repaired")).repair()
        #expect(again.holes.map(\.loss.commits) == [12...12] && again.losses.isEmpty && again.lastCommitNumber == 101)
        _ = try again.perform(to: path("again"))
        try await expectHole("again", states)
        for (at, findings) in [(11, 0), (70, 1)] as [(CommitNumber, Int)] {
            let fork = path("fork \(at)")
            try ReplayReader(path("repaired")).fork(at: at, to: fork)
            let report = try ReplayReader(fork).verify(.replay)
            #expect(report.severity == .clean && report.findings.count == findings, "\(report.findings)")
            #expect(try contents(fork) == states[Int(at.rawValue)])
        }
    }

    @Test func `Backwards over a hole nothing is skipped, however large commits are`() async throws {
        let database = try await Database.open(at: path("source"), options: replayable(), collections: .notes)
        for number in 1...20 {
            try await database.write { $0[.notes]["big"] = String(repeating: "\(number % 10)", count: 1_200_000) }
            if number == 10 { try await database.checkpoint() }
        }
        try await database.close()
        try await damage(commit: 5)
        _ = try ReplayReader(path("source")).repair().perform(to: path("repaired"))
        var numbers: [UInt64] = []
        for try await commit in try ReplayReader(path("repaired")).commitsBackwards() {
            numbers.append(commit.commitNumber.rawValue)
        }
        #expect(numbers == (1...20).reversed().filter { $0 != 5 })
    }

    @Test(arguments: [70, 9])
    func `Where durable commits at the end can't be read, the newest state is an error, not an older one`(
        offset: Int
    ) async throws {
        try await prepare()
        try await damage(commit: 98, at: offset)
        let reader = try ReplayReader(path("source"))
        for read in [{ _ = try reader.snapshot() }, { _ = try reader.cursor() }] as [() throws -> Void] {
            let error = #expect(throws: DatabaseError.self) { try read() }
            #expect(error?.code == .corruptLog)
        }
        let other = try await Database.open(at: path("other"), collections: .notes)
        try await other.write { $0[.notes]["kept"] = "note" }
        let error = await #expect(throws: DatabaseError.self) { try await other.restore(from: path("source")) }
        #expect(error?.code == .corruptLog && other.snapshot[.notes].map(\.key) == ["kept"])
        try await other.close()
        // Who follows the log gets all that comes before the damage.
        var numbers: [UInt64] = []
        let end = await #expect(throws: DatabaseError.self) {
            for try await commit in reader.followedCommits(after: 60) { numbers.append(commit.commitNumber.rawValue) }
        }
        #expect(end?.code == .corruptLog && numbers == Array(61...97))
    }

    /// Checks that a database without commit 12 has all others, and every state that does not depend on it.
    private func expectHole(_ name: String, _ states: [[String]]) async throws {
        let reader = try ReplayReader(path(name))
        for number in 0...100 {
            let commit = CommitNumber(UInt64(number))
            guard (12...39).contains(number) else {
                #expect(try contents(path(name), at: commit) == states[number])
                continue
            }
            let error = #expect(throws: DatabaseError.self) { try contents(path(name), at: commit) }
            #expect(error?.code == .corruptLog && error?.place.commits == 12...12, "\(number): \(error as Any)")
        }
        // A replay of the log starts once more behind it, as behind any other gap.
        for number in [11, 40, 100] {
            let last = CommitNumber(UInt64(number))
            let replayed = try await Database.replay(path(name), upTo: last, collections: .books, .notes)
            #expect(replayed.commitNumber == last && contents(replayed.snapshot) == states[number])
        }
        for last in [12, 39] as [CommitNumber] {
            let error = await #expect(throws: DatabaseError.self) {
                try await Database.replay(path(name), upTo: last, collections: .books, .notes)
            }
            #expect(error?.code == .corruptLog && error?.place.commits == 12...12, "\(last): \(error as Any)")
        }
        var numbers: [UInt64] = []
        for try await commit in reader.commits(through: 100) { numbers.append(commit.commitNumber.rawValue) }
        #expect(numbers == (1...100).filter { $0 != 12 })
        var backwards: [UInt64] = []
        for try await commit in try reader.commitsBackwards(through: 100) {
            backwards.append(commit.commitNumber.rawValue)
        }
        #expect(backwards == numbers.reversed())
        let index = CommitIndex(reader)
        for range in [5...20, 12...12, 13...13, 1...100, 11...12, 40...60, 1...100] as [ClosedRange<CommitNumber>] {
            let wanted = numbers.filter { range.contains(CommitNumber($0)) }
            #expect(try index.entries(in: range).map(\.number.rawValue) == wanted, "\(range)")
        }
        // Between the hole and the next checkpoint nobody knows what a record was.
        var revisions: [UInt64] = []
        for try await revision in reader.history(ofKey: "last", inCollectionNamed: "notes") {
            let number = revision.commit.commitNumber.rawValue
            if number > 100 { continue }
            revisions.append(number)
            #expect(revision.after?.object == .text("commit \(number)"))
            #expect(revision.before?.object == (number == 1 ? nil : .text("commit \(number - 1)")))
        }
        #expect(revisions == Array(1...11) + Array(41...100))
        #expect(try reader.views().isEmpty)
        // Differences and journeys go from one side to the other.
        let changes = try reader.changes(from: 11, to: 70)
        let last = changes.first { $0.collectionName == "notes" && $0.key == "last" }
        #expect(last?.before?.object == "commit 11" && last?.after?.object == "commit 70")
        #expect(changes.count { $0.collectionName == "notes" } == 60)
        let cursor = try reader.cursor(at: 11)
        try cursor.seek(to: 70)
        #expect(contents(cursor.snapshot) == states[70])
        #expect(throws: DatabaseError.self) { try cursor.seek(to: 30) }
        try cursor.seek(to: 5)
        #expect(contents(cursor.snapshot) == states[5])
        var within = reader.commits(from: 12, through: 12).makeAsyncIterator()
        #expect(try await within.next() == nil)
    }

    @Test func `A hole that a checkpoint ends, and one right behind the first state, are kept as well`() async throws {
        try await prepare(checkpointsAt: [20, 60])
        let whole = try contents(path("source"))
        // All segments up to 60 but the one that begins with 1.
        for file in directory.files(in: "source/wal").dropFirst() {
            guard let first = Int(file.prefix(20)), first <= 60 else { continue }
            try FileManager.default.removeItem(atPath: "\(path("source"))/wal/\(file)")
        }
        let repair = try ReplayReader(path("source")).repair()
        #expect(repair.lastCommitNumber == 100 && repair.losses.isEmpty && repair.holes.count == 1)
        let hole = try #require(repair.holes.first?.loss.commits)
        #expect(hole.lowerBound > 1 && hole.upperBound >= 60)
        #expect(try repair.perform(to: path("repaired")).severity == .clean)
        #expect(try contents(path("repaired")) == whole)
        // A hole that reaches up to the newest state.
        try FileManager.default.copyItem(atPath: path("source").string, toPath: path("short").string)
        for file in directory.files(in: "short/wal").dropFirst() {
            try FileManager.default.removeItem(atPath: "\(path("short"))/wal/\(file)")
        }
        let short = try ReplayReader(path("short")).repair()
        #expect(short.lastCommitNumber == 60 && short.losses.map(\.commits) == [61...100])
        #expect(short.holes.map(\.loss.commits.upperBound) == [60] && short.holes.map(\.nextStateCommitNumber) == [60])
        #expect(try short.perform(to: path("shorter")).severity == .clean)
        try ReplayReader(path("shorter")).fork(at: 60, to: path("fork"))
        for name in ["shorter", "fork"] {
            try await goOn(name, from: 60)
            let report = try ReplayReader(path(name)).verify(.replay)
            #expect(report.severity == .clean && report.findings.count == 1, "\(report.findings)")
        }
        // Without the first segment, too, the history begins with the first checkpoint.
        let first = try #require(directory.files(in: "source/wal").first)
        try FileManager.default.removeItem(atPath: "\(path("source"))/wal/\(first)")
        let later = try ReplayReader(path("source")).repair()
        #expect(later.firstCommitNumber == 20 && later.lastCommitNumber == 100)
        #expect(later.holes.map(\.loss.commits.lowerBound) == [21])
        #expect(try later.perform(to: path("later")).severity == .clean)
        #expect(try contents(path("later")) == whole)
        try await goOn("later", from: 100)
        #expect(try ReplayReader(path("later")).verify(.replay).severity == .clean)
    }

    @Test(arguments: [71, 9])
    func `Salvage keeps what is behind the damage, and says so permanently`(offset: Int) async throws {
        try await prepare()
        var expected = try contents(path("source"))
        try await damage(commit: 70, at: offset)
        try await damage(commit: 80, at: offset)
        var options = ReplayRepair.Options()
        options.salvages = true
        let repair = try ReplayReader(path("source")).repair(options)
        #expect(repair.losses.map(\.commits) == [70...70, 80...80])
        #expect(repair.isSalvaged && repair.lastCommitNumber == 100)
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

    // Only the files of the database itself did, and what was restored from the backup knew of nothing.
    @Test func `A backup of a salvaged database, and a fork of that, say that commits were lost`() async throws {
        try await prepare()
        try await damage(commit: 70)
        var options = ReplayRepair.Options()
        options.salvages = true
        #expect(try ReplayReader(path("source")).repair(options).perform(to: path("repaired")).severity == .clean)
        let database = try await Database.open(
            at: path("repaired"), options: replayable(), collections: .books, .notes)
        try await database.backup(to: path("backup"))
        try await database.close()
        try ReplayReader(path("backup")).fork(to: path("restored"))
        for name in ["backup", "restored"] {
            let report = try ReplayReader(path(name)).verify(.replay)
            #expect(report.severity == .clean, "\(report.findings)")
            #expect(report.findings.contains { $0.message.contains("lost in a repair") }, "\(name): \(report.findings)")
        }
        // One that was never repaired has nothing to say.
        try await prepare("whole", checkpointsAt: [])
        let whole = try await Database.open(at: path("whole"), options: replayable(), collections: .books, .notes)
        try await whole.backup(to: path("copy"))
        try await whole.close()
        #expect(try ReplayReader(path("copy")).verify(.replay).findings.isEmpty)
    }

    @Test func `Where no state is left, salvage begins with an empty one, and reports what is lost`() async throws {
        try await prepare()
        let source = path("source")
        let segments = directory.files(in: "source/wal")
        #expect(segments.count > 1)
        try FileManager.default.removeItem(atPath: "\(source)/wal/\(segments[0])")
        for name in directory.files(in: "source/ckpt") {
            try FileManager.default.removeItem(atPath: "\(source)/ckpt/\(name)")
        }
        var options = ReplayRepair.Options()
        options.salvages = true
        let repair = try ReplayReader(source).repair(options)
        #expect(repair.isSalvaged && repair.firstCommitNumber > 0 && repair.lastCommitNumber == 100)
        #expect(repair.losses.map(\.commits) == [1...repair.firstCommitNumber])
        let verification = try repair.perform(to: path("repaired"))
        #expect(verification.severity == .clean, "\(verification.findings)")
        #expect(directory.files(in: "repaired/ckpt").count == 1)
        #expect(try contents(path("repaired"), at: repair.firstCommitNumber).isEmpty)
        // Each record that was written since is there.
        let kept = (repair.firstCommitNumber.rawValue + 1...100).map { "notes \($0) " }
        let found = try contents(path("repaired"))
        #expect(kept.allSatisfy { key in found.contains { $0.hasPrefix(key) } })
        try await goOn("repaired", from: 100)
        #expect(try ReplayReader(path("repaired")).verify(.replay).severity == .clean)
    }

    @Test func `What a copy has is taken from it, frame by frame`() async throws {
        try await prepare()
        try FileManager.default.copyItem(atPath: path("source").string, toPath: path("backup").string)
        let whole = try contents(path("source"))
        let earlier = try contents(path("source"), at: 55)
        // Each has damage of its own, in one place several frames side by side, and the source has a whole file less.
        for commit in [62, 61, 60] as [UInt64] { try await damage(commit: commit) }
        try await damage(commit: 75, at: 9)
        try await damage("backup", commit: 50)
        let checkpoint = directory.files(in: "source/ckpt")[0]
        try flip("\(path("source"))/ckpt/\(checkpoint)", 4200)
        let gone = try #require(directory.files(in: "source/wal").first { $0 > "0000000000000000009" })
        try FileManager.default.removeItem(atPath: "\(path("source"))/wal/\(gone)")
        let alone = try ReplayReader(path("source")).repair()
        #expect(alone.lastCommitNumber < 60 && alone.damagedCheckpoints == ["ckpt/\(checkpoint)"])
        var options = ReplayRepair.Options()
        options.donor = path("backup")
        let repair = try ReplayReader(path("source")).repair(options)
        #expect(repair.firstCommitNumber == 0 && repair.lastCommitNumber == 100)
        #expect(repair.losses.isEmpty && repair.checkpoints == [40])
        #expect(repair.damagedCheckpoints.isEmpty)
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
        #expect(try ReplayReader(path("source")).repair(options).lastCommitNumber == 59)
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

    /// Checks that every commit is there but those of the holes, and that each state is right or an error.
    private func expectHistory(
        of repair: ReplayRepair, in target: FilePath, _ states: [[String]], _ comment: Comment
    ) async throws {
        let reader = try ReplayReader(target)
        let missing = repair.holes.map(\.loss.commits)
        let first = repair.firstCommitNumber.rawValue, last = repair.lastCommitNumber.rawValue
        let expected = (first..<last).map { CommitNumber($0 + 1) }
            .filter { number in !missing.contains { $0.contains(number) } }
        var found: [CommitNumber] = []
        if let first = expected.first {
            for try await commit in reader.commits(from: first) { found.append(commit.commitNumber) }
        }
        #expect(found == expected, comment)
        for number in stride(from: first, through: last, by: 7) {
            let commit = CommitNumber(number)
            let isReachable = !repair.holes.contains {
                $0.loss.commits.lowerBound <= commit && commit < $0.nextStateCommitNumber
            }
            do {
                #expect(try contents(target, at: commit) == states[Int(number)], comment)
                #expect(isReachable, comment)
            } catch let error as DatabaseError {
                #expect(!isReachable && error.code == .corruptLog, "\(comment): \(commit): \(error)")
            }
        }
    }

    @Test func `Damage at random leaves the newest state and all history that can be read, and always verifies`()
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
                        report.severity == .clean && report.newestCommitNumber == repair.lastCommitNumber,
                        "seed \(seed): \(report.findings)")
                    if !salvages {
                        let state = try contents(target)
                        #expect(state == states[Int(repair.lastCommitNumber.rawValue)], "seed \(seed)")
                        try await expectHistory(of: repair, in: target, states, "seed \(seed)")
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
