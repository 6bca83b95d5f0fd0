import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakLocks
import YaprakReplay

/// Many tasks share a history, follow a log, and ask an index; each gets what it would get alone.
@Suite(.bounded) struct SharedHistoryTests {
    @Test func `Tasks that ask at once get the states and steps of their commits`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        try await writeShop(at: path, commits: 90, seed: 4, checkpointsAt: [30, 60])
        let reader = try ReplayReader(path)
        var digests: [SnapshotDigest] = []
        for number in 0...90 { digests.append(try reader.snapshot(at: CommitNumber(UInt64(number))).digest) }
        let expected = digests
        let history = SharedHistory(reader, cursorsMax: 3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<12 {
                group.addTask {
                    var random = SplitMix64(seed: UInt64(task))
                    for _ in 0..<20 {
                        let number = random.below(91), other = random.below(91)
                        switch random.below(3) {
                        case 0:
                            let snapshot = try await history.snapshot(at: CommitNumber(UInt64(number)))
                            #expect(snapshot.digest == expected[number], "task \(task), commit \(number)")
                        case 1 where number > 0:
                            let step = try #require(try await history.step(to: CommitNumber(UInt64(number))))
                            #expect(step.commit.commitNumber.rawValue == UInt64(number))
                            #expect(step.before.digest == expected[number - 1], "task \(task), commit \(number)")
                            #expect(step.after.digest == expected[number], "task \(task), commit \(number)")
                        default:
                            let pair = try await history.snapshots(
                                at: CommitNumber(UInt64(number)), CommitNumber(UInt64(other)))
                            #expect(pair.first.digest == expected[number], "task \(task), \(number) and \(other)")
                            #expect(pair.second.digest == expected[other], "task \(task), \(number) and \(other)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let beyond = try await history.step(to: 91)
        #expect(beyond == nil)
        await #expect(throws: DatabaseError.self) { try await history.snapshot(at: 92) }
        // A failure gives the cursor back.
        let again = try await history.snapshot(at: 90)
        #expect(again.digest == expected[90])
    }

    @Test func `A cursor that begins at what another one keeps has its states, and leaves it where it is`() async throws
    {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        try await writeShop(at: path, commits: 1500, seed: 11)
        let reader = try ReplayReader(path)
        let first = try reader.cursor(at: 1500, followingViews: true)
        // What is near costs nothing, what is far the way from what is kept, and never the way from the beginning.
        #expect(first.commitCount(to: 1400) == 0)
        #expect(first.commitCount(to: 1510) == 10)
        #expect((1...512).contains(try #require(first.commitCount(to: 900))))
        for number in [0, 1, 255, 256, 700, 1100, 1499, 1500] as [CommitNumber] {
            let other = try #require(first.continued(before: number))
            #expect(other.commitNumber <= number)
            try other.seek(to: number)
            #expect(other.snapshot.digest == (try reader.snapshot(at: number).digest), "commit \(number)")
            // Both ways, over what came along.
            for further in [3, 600, 1500] as [CommitNumber] {
                try other.seek(to: further)
                #expect(other.snapshot.digest == (try reader.snapshot(at: further).digest), "\(number), \(further)")
            }
            #expect(first.commitNumber == 1500)
        }
        let late = try reader.cursor(at: 1500)
        #expect(late.snapshot.digest == first.snapshot.digest)
    }

    @Test func `Questions all over a history get its states and steps, with views and without, from few cursors`()
        async throws
    {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        try await writeShop(at: path, commits: 1500, seed: 12, checkpointsAt: [1000])
        let reader = try ReplayReader(path)
        for cursorsMax in 1...3 {
            let history = SharedHistory(reader, cursorsMax: cursorsMax)
            var random = SplitMix64(seed: UInt64(cursorsMax))
            for _ in 0..<40 {
                let number = CommitNumber(UInt64(random.below(1501))), followingViews = random.below(2) == 0
                let snapshot = try await history.snapshot(at: number, followingViews: followingViews)
                #expect(snapshot.digest == (try reader.snapshot(at: number).digest), "\(cursorsMax), commit \(number)")
                #expect(await history.cursorCount <= cursorsMax)
                let step = try await history.step(to: number, followingViews: followingViews)
                #expect((step?.commit.commitNumber ?? 0) == number)
            }
        }
    }

    @Test func `A question that was given up before its turn moves no cursor`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        try await writeShop(at: path, commits: 40, seed: 5)
        let history = SharedHistory(try ReplayReader(path), cursorsMax: 1)
        for number in [10, 40] as [CommitNumber] {
            let given = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await history.snapshot(at: number).commitNumber
            }
            given.cancel()
            await #expect(throws: CancellationError.self) { try await given.value }
        }
        #expect(await history.cursorCount == 0)
        #expect(try await history.snapshot(at: 40).commitNumber == 40)
    }

    @Test func `A seek that was given up goes on where it came to`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        try await writeShop(at: path, commits: 600, seed: 6)
        let reader = try ReplayReader(path)
        let cursor = try reader.cursor(at: 0, followingViews: true)
        var asked = 0
        #expect(throws: CancellationError.self) {
            try cursor.seek(to: 590) {
                asked += 1
                return asked > 400
            }
        }
        #expect(cursor.commitNumber == 0 && cursor.commitCount(to: 590) == 190)
        for number in [590, 100, 400, 401, 600] as [CommitNumber] {
            try cursor.seek(to: number)
            #expect(cursor.snapshot.digest == (try reader.snapshot(at: number).digest), "commit \(number)")
        }
    }

    @Test func `Work that nobody waits for any more hears so, and what has not begun does not begin`() async throws {
        let hasBegun = Flag()
        let given = Task {
            try await BlockingWork.run { cancellation in
                hasBegun.set()
                while true { try cancellation.check() }
            }
        }
        while !hasBegun.isSet { try await Task.sleep(for: .milliseconds(1)) }
        given.cancel()
        await #expect(throws: CancellationError.self) { try await given.value }
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await BlockingWork.run { true }
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test func `An expression over many records stops when nobody waits for its value`() async throws {
        let database = Database.inMemory()
        try await database.write { for number in 0..<500 { $0[.notes]["\(number)"] = "note" } }
        let isBad = try ReplayExpression("any(notes, any(notes, . == 'none'))", about: .snapshot)
        var asked = 0
        let value = isBad.holds(in: database.snapshot) {
            asked += 1
            return asked > 700
        }
        // Each loop that it is in ends with the next record.
        #expect(value == nil && asked <= 704)
        #expect(isBad.holds(in: database.snapshot, unless: { false }) == false)
    }

    @Test func `A followed log delivers every commit once, from before the first one on`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        let reader = try ReplayReader(path)
        let follower = Task {
            var numbers: [UInt64] = []
            for try await commit in reader.followedCommits(after: 0, every: .milliseconds(2)) {
                numbers.append(commit.commitNumber.rawValue)
                if numbers.count == 40 { break }
            }
            return numbers
        }
        for number in 1...40 {
            try await database.write { $0[.notes]["n"] = "\(number)" }
            if number % 7 == 0 { try await Task.sleep(for: .milliseconds(5)) }
        }
        let numbers = try await follower.value
        #expect(numbers == Array(1...40))
        let cancelled = Task {
            var count = 0
            for try await _ in reader.followedCommits(after: 40) { count += 1 }
            return count
        }
        cancelled.cancel()
        #expect(try await cancelled.value == 0)
        try await database.close()
    }

    @Test func `The longest ranges, the last number there is and the ends of time are answered`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        try await writeShop(at: path, commits: 5, seed: 1)
        let reader = try ReplayReader(path)
        #expect(try CommitIndex(reader).activity(in: 0...CommitNumber(.max), slicesMax: 1).map(\.commitCount) == [5])
        _ = reader.followedCommits(after: CommitNumber(.max))
        let error = try #require(throws: DatabaseError.self) {
            try reader.setTag(#require(LogTag.Name("last")), to: CommitNumber(.max))
        }
        #expect(error.code == .commitOutOfReach)
        #expect(try reader.tags().isEmpty)
        // Clocks that say anything.
        let times = Mutex([Int64.min, .max])
        var options = DatabaseOptions()
        options.clock = { times.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        let wild = FilePath(directory.appending("wild.yaprak"))
        let database = try await Database.open(at: wild, options: options, collections: .notes)
        for number in 0..<3 { try await database.write { $0[.notes]["\(number)"] = "" } }
        try await database.close()
        let activity = try CommitIndex(ReplayReader(wild)).activity(overTimeOf: 1...3, slicesMax: 1)
        #expect(activity.map(\.commitCount).reduce(0, +) == 3)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `An index says of any range what the log says`(seed: UInt64) async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        try await writeShop(at: path, commits: 70, seed: seed)
        let reader = try ReplayReader(path)
        var all: [ReplayCommit] = []
        var commits = reader.commits().makeAsyncIterator()
        while let commit = try await commits.next() { all.append(commit) }
        let index = CommitIndex(reader)
        var random = SplitMix64(seed: seed)
        for _ in 0..<60 {
            let first = 1 + random.below(75), last = first + random.below(75)
            let range = CommitNumber(UInt64(first))...CommitNumber(UInt64(last))
            let expected = all.filter { range.contains($0.commitNumber) }
            let entries = try index.entries(in: range)
            #expect(entries.map(\.number) == expected.map(\.commitNumber), "seed \(seed), \(range)")
            #expect(entries.map(\.nanosecondsSince1970) == expected.map(\.nanosecondsSince1970))
            #expect(entries.map(\.origin) == expected.map(\.origin))
            #expect(entries.map(\.changeCount) == expected.map(\.changeCount))
            #expect(entries.map(\.byteCount) == expected.map(\.byteCount))
            let slices = 1 + random.below(20)
            for activity in [
                try index.activity(in: range, slicesMax: slices),
                try index.activity(overTimeOf: range, slicesMax: slices),
            ] {
                #expect(activity.count <= slices, "seed \(seed), \(range)")
                #expect(activity.reduce(0) { $0 + $1.commitCount } == expected.count, "seed \(seed), \(range)")
                #expect(
                    activity.reduce(0) { $0 + $1.changeCount } == expected.reduce(0) { $0 + $1.changeCount },
                    "seed \(seed), \(range)")
            }
        }
    }
}
