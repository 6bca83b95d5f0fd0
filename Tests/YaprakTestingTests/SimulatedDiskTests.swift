import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakTesting

/// Faults of a disk: each reaches the program as the error that it would be, and nothing that was promised is lost.
@Suite(.bounded, .database(.shelf)) struct SimulatedDiskTests {
    let disk = SimulatedDisk()

    private func open(_ disk: SimulatedDisk? = nil) async throws -> Database {
        try await Database.open(at: "/shop", on: disk ?? self.disk, collections: .books)
    }

    private func write(_ text: String, to database: Database) async throws {
        try await database.write { $0[.books][String(text.prefix(10))] = Book(title: text) }
    }

    /// The code of what a write throws; `nil` if it succeeds.
    private func refusal(_ key: String, _ database: Database) async -> DatabaseError.Code? {
        do {
            try await write(key, to: database)
            return nil
        } catch {
            return (error as? DatabaseError)?.code
        }
    }

    @Test func `The parents of a path are made by opening on no disk`() async throws {
        let simulated = await #expect(throws: DatabaseError.self) {
            try await Database.open(at: "/data/shop", on: disk, collections: .books)
        }
        let directory = TemporaryDirectory()
        let real = await #expect(throws: DatabaseError.self) {
            try await Database.open(at: directory.appending("data/shop"), collections: .books)
        }
        #expect(simulated?.code == .notFound && real?.code == .notFound)
    }

    @Test func `Writes fail until the disk is well again`() async throws {
        let database = try await open()
        disk.plan(.writeFails(forever: true))
        for key in ["a", "b"] { #expect(await refusal(key, database) == .writeFailed) }
        disk.heal()
        #expect(await refusal("c", database) == nil)
    }

    // The first commit writes twice: the head of its log file, and itself.
    @Test(arguments: 1...5) func `One failed write costs one commit, and no other`(nth: Int) async throws {
        let database = try await open(), keys = ["a", "b", "c", "d"]
        disk.plan(.writeFails(nth: nth))
        var codes: [DatabaseError.Code?] = []
        for key in keys { codes.append(await refusal(key, database)) }
        #expect(codes == keys.indices.map { $0 == max(0, nth - 2) ? .writeFailed : nil })
        let kept = zip(keys, codes).filter { $1 == nil }.map(\.0)
        #expect(database.snapshot[.books].map(\.key) == kept)
        #expect(try await open(disk.afterKill()).snapshot[.books].map(\.key) == kept)
        #expect(try await open(disk.afterPowerCut()).snapshot[.books].map(\.key) == kept)
    }

    @Test func `Each fault counts all calls from its plan on, and the first lack of space or power is met`()
        async throws
    {
        let database = try await open()
        disk.plan(.writeFails(nth: 3))
        disk.plan(.writeFails(nth: 5))
        // The fourth call takes back what the third may have written.
        var codes: [DatabaseError.Code?] = []
        for key in ["a", "b", "c", "d"] { codes.append(await refusal(key, database)) }
        #expect(codes == [nil, .writeFailed, .writeFailed, nil])
        disk.plan(.diskFull(afterBytes: 0))
        disk.plan(.diskFull(afterBytes: 1_000_000_000))
        var random = SplitMix64(seed: 1)
        let long = (0..<600_000).map { _ in String(random.below(10)) }.joined()
        var code: DatabaseError.Code?
        for index in 0..<12 where code == nil { code = await refusal("\(index)" + long, database) }
        #expect(code == .diskFull)
        disk.heal()
        #expect(await refusal("e", database) == nil)
    }

    @Test func `A power cut that was planned and taken back does not come`() async throws {
        let database = try await open()
        disk.plan(.powerCut(afterChanges: 3))
        disk.heal()
        for number in 0..<20 { #expect(await refusal("\(number)", database) == nil) }
        disk.plan(.powerCut(afterChanges: 2))
        disk.plan(.powerCut(afterChanges: 1_000))
        var refusals = 0
        for number in 0..<5 where await refusal("\(number)", database) != nil { refusals += 1 }
        #expect(refusals > 0)
    }

    @Test func `A short write is finished`() async throws {
        let database = try await open()
        disk.plan(.writeIsShort())
        #expect(await refusal("a", database) == nil)
        #expect(try await open(disk.afterKill()).snapshot[.books].count == 1)
    }

    @Test func `After a failed sync the database is read-only, and opening it again helps`() async throws {
        let database = try await open()
        try await write("a", to: database)
        disk.plan(.syncFails())
        #expect(await refusal("b", database) == .syncFailed)
        #expect(await refusal("c", database) == .readOnly)
        let again = try await open(disk.afterPowerCut())
        #expect(again.snapshot[.books].map(\.key) == ["a"])
        #expect(await refusal("c", again) == nil)
    }

    @Test func `A full disk refuses writes, and takes them again when there is room`() async throws {
        let database = try await open()
        disk.plan(.diskFull(afterBytes: 0))
        var random = SplitMix64(seed: 1)
        // The log has taken a megabyte of room before.
        let title = (0..<600_000).map { _ in String(random.below(10)) }.joined()
        var code: DatabaseError.Code?
        for index in 0..<12 where code == nil { code = await refusal("\(index)" + title, database) }
        #expect(code == .diskFull)
        disk.heal()
        #expect(await refusal("last", database) == nil)
    }

    @Test func `A lie of the disk shows after a power cut, not after a kill`() async throws {
        let database = try await open()
        disk.plan(.syncLies(forever: true))
        try await write("a", to: database)
        #expect(try await open(disk.afterKill()).snapshot[.books].count == 1)
        let left = disk.afterPowerCut()
        let code = await { () async -> DatabaseError.Code? in
            do { return try await open(left).snapshot[.books].isEmpty ? .notFound : nil } catch {
                return (error as? DatabaseError)?.code
            }
        }()
        #expect(code != nil, "the commit can't be there")
    }

    @Test func `After a kill everything is there, after a power cut what was synced`() async throws {
        var options = DatabaseOptions()
        options.durability = .relaxed
        let database = try await Database.open(at: "/shop", on: disk, options: options, collections: .books)
        try await write("a", to: database)
        try await database.flush()
        try await write("b", to: database)
        #expect(try await open(disk.afterKill()).snapshot[.books].map(\.key) == ["a", "b"])
        #expect(try await open(disk.afterPowerCut()).snapshot[.books].map(\.key) == ["a"])
        #expect(try await open(disk.afterPowerCut(.everything)).snapshot[.books].map(\.key) == ["a", "b"])
        for bytes in [0, 1, 20, 40] {
            #expect(try await open(disk.afterPowerCut(.torn(bytes: bytes))).snapshot[.books].map(\.key) == ["a"])
        }
        for seed in 0..<20 {
            let keys = try await open(disk.afterPowerCut(.random(seed: UInt64(seed)))).snapshot[.books].map(\.key)
            #expect(keys == ["a"] || keys == ["a", "b"], "seed \(seed)")
        }
    }

    @Test func `Power can go at any change, and each write is there as a whole or not at all`() async throws {
        for changes in 0..<40 {
            let disk = SimulatedDisk()
            disk.plan(.powerCut(afterChanges: changes))
            var promised = 0
            do {
                let database = try await open(disk)
                for index in 0..<4 {
                    try await write("\(index)", to: database)
                    promised = index + 1
                }
            } catch {
                #expect(error is DatabaseError)
            }
            let again = try await open(disk.afterPowerCut())
            let count = again.snapshot[.books].count
            #expect((promised...promised + 1).contains(count), "after \(changes) changes")
        }
    }

    @Test func `A record that does not encode fails its write alone`() async throws {
        let database = try await Database.current.fork(on: disk)
        disk.plan(.encodingFails(inCollectionNamed: "books", key: "b"))
        let codes = await [refusal("a", database), refusal("b", database), refusal("b", database)]
        #expect(codes == [nil, .encodingFailed, nil])
    }

    /// No checkpoint was asked: this one succeeded, and the next write of the record failed.
    @Test func `A record that does not encode fails a checkpoint, and the log keeps everything`() async throws {
        let database = try await open()
        try await write("a", to: database)
        disk.plan(.encodingFails(inCollectionNamed: "books", key: "a"))
        let error = await #expect(throws: DatabaseError.self) { try await database.checkpoint() }
        #expect(error?.code == .encodingFailed && error?.place.collectionName == "books" && error?.place.key == "a")
        #expect(try await open(disk.afterPowerCut()).snapshot[.books].map(\.key) == ["a"])
        #expect(await refusal("a", database) == nil)
        #expect(try await database.checkpoint() == 2)
        #expect(try await open(disk.afterPowerCut()).snapshot[.books].map(\.key) == ["a"])
    }

    /// An object and its metadata are two values, as in a write.
    @Test(arguments: 1...4) func `A checkpoint counts the metadata of a record as a value of its own`(nth: Int)
        async throws
    {
        let marked = RecordCollection<Book, String>("books")
        let database = try await Database.open(at: "/shop", on: disk, collections: marked)
        try await database.write { transaction in
            transaction[marked].set(Book(title: "a"), metadata: "m", for: "a")
            transaction[marked]["b"] = Book(title: "b")
        }
        disk.plan(.encodingFails(nth: nth))
        var key: String?
        do { try await database.checkpoint() } catch { key = (error as? DatabaseError)?.place.key }
        #expect(key == [1: "a", 2: "a", 3: "b"][nth])
    }

    /// The plan went with the disk, and the database wrote as if nothing had been planned.
    @Test func `What was planned holds for a database whose disk nobody keeps`() async throws {
        func database() async throws -> Database {
            let disk = SimulatedDisk()
            let database = try await open(disk)
            disk.plan(.encodingFails(forever: true))
            return database
        }
        let orphan = try await database()
        for key in ["a", "b"] { #expect(await refusal(key, orphan) == .encodingFailed) }
    }

    @Test
    func `A fork on a disk has the records, the number, the extensions and the reactions, and can be opened again`()
        async throws
    {
        let origin = Database.current
        try await origin.register(
            RecordReaction("shout", to: .books) { change, transaction in
                guard let book = change.after?.object, book.title != book.title.uppercased() else { return }
                transaction[.books][change.key]?.title = book.title.uppercased()
            })
        try await origin.write { $0[.books]["ubik"] = Book(title: "Ubik") }
        let fork = try await origin.fork(on: disk)
        #expect(fork.snapshot.reactionNames == ["shout"])
        expectNoDifference(origin, fork)
        #expect(fork.commitNumber == origin.commitNumber && fork.path == "/fork")
        try await write("a", to: fork)
        #expect(fork.snapshot[.books]["a"]?.title == "A")
        let again = try await Database.open(at: "/fork", on: disk.afterKill(), collections: .books)
        try await again.register(bySalesRank)
        expectNoDifference(fork, again)
        #expect(origin.snapshot[.books].count == 4)
    }

    /// In the fork on a disk the rules of the relationship ran first, and removed what the reaction had saved elsewhere.
    @Test(arguments: [false, true]) func `A fork on a disk runs reactions and rules of relationships in their order`(
        reactionIsFirst: Bool
    ) async throws {
        let authors = RecordCollection<String, NoMetadata>("authors")
        let origin = Database.inMemory()
        let written = Relationship("written", from: .books, \.genre, to: authors, onDelete: .cascade)
        let reparent = RecordReaction("reparent", to: authors) { change, transaction in
            guard change.after == nil else { return }
            let books = transaction[.books].rows.filter { $0.object.genre == change.key }
            for book in books { transaction[.books][book.key]?.genre = "nobody" }
        }
        if reactionIsFirst { try await origin.register(reparent) }
        try await origin.register(written)
        if !reactionIsFirst { try await origin.register(reparent) }
        try await origin.write { transaction in
            transaction[authors]["herbert"] = "Frank Herbert"
            transaction[authors]["nobody"] = ""
            transaction[.books]["dune"] = Book(title: "Dune", genre: "herbert")
        }
        let (memory, file) = (origin.fork(), try await origin.fork(on: disk))
        for fork in [memory, file] { try await fork.write { $0[authors].remove("herbert") } }
        expectNoDifference(memory, file)
        #expect(file.snapshot[.books].count == (reactionIsFirst ? 1 : 0))
    }

    @Test func `A slow disk is slow`() async throws {
        let database = try await open()
        disk.plan(.slow(.milliseconds(30)))
        let time = try await ContinuousClock().measure { try await write("a", to: database) }
        #expect(time >= .milliseconds(30))
    }

    @Test(arguments: [0, -1, .min]) func `A fault before the next call is one of the next call`(nth: Int) async throws {
        for forever in [false, true] {
            for fault in [
                Fault.writeFails(nth: nth, forever: forever), .encodingFails(nth: nth, forever: forever),
                .syncFails(nth: nth, forever: forever),
            ] {
                let disk = SimulatedDisk()
                let database = try await open(disk)
                disk.plan(fault)
                let codes = [await refusal("a", database), await refusal("b", database)]
                let isOver = !forever && codes[0] != .syncFailed
                #expect(codes[0] != nil && (codes[1] == nil) == isOver, "\(fault): \(codes)")
            }
        }
    }

    @Test func `Faults that are farther away than anything leave a disk that works`() async throws {
        let database = try await open()
        try await write("a", to: database)
        for fault in [
            Fault.powerCut(afterChanges: .max), .diskFull(afterBytes: .max), .writeFails(nth: .max),
            .writeFails(nth: .max, forever: true), .syncLies(nth: .max), .encodingFails(nth: .max, forever: true),
        ] {
            disk.plan(fault)
        }
        #expect(await refusal("b", database) == nil)
        for fault in [Fault.powerCut(afterChanges: .min), .diskFull(afterBytes: .min)] {
            let disk = SimulatedDisk()
            let database = try await open(disk)
            disk.plan(fault)
            var code: DatabaseError.Code?
            for index in 0..<4 where code == nil {
                code = await refusal("\(index)" + String(repeating: "\(index)é", count: 300_000), database)
            }
            #expect(code == .diskFull || code == .writeFailed, "\(fault): \(code as Any)")
        }
        // Nobody has the time to call such a disk.
        SimulatedDisk().plan(.slow(.seconds(Int64.max)))
        disk.plan(.slow(.seconds(Int64.min)))
        #expect(await refusal("c", database) == nil)
    }

    @Test func `Streams that lag end in memory, and go on from the log with files`() async throws {
        let memory = Database.current
        let changes = memory.changesets()
        try await write("a", to: memory)
        memory.lagStreams()
        let error = await #expect(throws: DatabaseError.self) { for try await _ in changes {} }
        #expect(error?.code == .laggedBehind)

        let database = try await open()
        let commits = database.changesets()
        for key in ["a", "b"] { try await write(key, to: database) }
        database.lagStreams()
        var numbers: [CommitNumber] = []
        for try await changeset in commits.prefix(2) { numbers.append(changeset.commitNumber) }
        #expect(numbers == [1, 2])
    }

    @Test func `Faults of a seed are the same each time, and every error is one of the engine`() async throws {
        for seed in UInt64(0)..<40 {
            let disk = SimulatedDisk()
            let database = try await open(disk)
            let faults = disk.planFaults(seed: seed)
            #expect(SimulatedDisk().planFaults(seed: seed).map(\.description) == faults.map(\.description))
            var promised: [String] = []
            for index in 0..<12 {
                do {
                    try await write("\(index)", to: database)
                    promised.append("\(index)")
                } catch {
                    #expect(error is DatabaseError, "seed \(seed), \(faults)")
                }
            }
            let again = try await open(disk.afterPowerCut())
            let found = Set(again.snapshot[.books].map(\.key))
            #expect(found.isSuperset(of: promised), "seed \(seed), \(faults): \(promised) were promised")
        }
    }
}
