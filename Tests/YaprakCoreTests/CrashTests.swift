import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakSimulator

@testable import YaprakCore
@testable import YaprakStorage

/// The whole engine over a simulated disk: power cuts at every call, failures of every kind.
@Suite(.bounded) struct CrashTests {
    static let options: DatabaseOptions = {
        var options = DatabaseOptions()
        options.checkpoints = .manual
        options.clock = { 0 }
        options.store.segmentBytesMax = 8192
        options.store.preallocationBytes = 4096
        options.store.chunkBytes = 512
        options.store.attestAfter = .zero
        return options
    }()

    static func open(_ disk: MemoryFileSystem, _ options: DatabaseOptions = options) async throws -> Database {
        try await Database.open(
            at: "/db", options: options,
            bindings: ReferenceDatabase.collections.map { TypedBinding($0) }, fileSystem: disk)
    }

    /// Plays one fixed history until it ends or the disk gives up.
    /// - Returns: the model of all commits that were issued, and how many of them were acknowledged.
    static func play(_ disk: MemoryFileSystem, seed: UInt64, _ options: DatabaseOptions = options) async -> (
        model: ReferenceDatabase, acknowledged: Int
    ) {
        var random = SplitMix64(seed: seed)
        var model = ReferenceDatabase()
        var acknowledged = 0
        do {
            for _ in 0..<2 {
                let database = try await open(disk, options)
                try await database.register(Counter())
                for step in 0..<12 {
                    let operations = (0..<(1 + random.below(4))).map { _ in RandomOperation.random(&random, keys: 12) }
                    var next = model.newest
                    let changes = operations.map { $0.apply(to: &next) }
                    guard changes.contains(true), next != model.newest else { continue }
                    model.states.append(next)
                    try await database.write { for operation in operations { operation.apply(to: &$0) } }
                    acknowledged = model.states.count - 1
                    if step % 5 == 4 { try await database.checkpoint() }
                }
                try await database.close()
            }
        } catch {
            // The power is off.
        }
        return (model, acknowledged)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `After a power cut at any call the database opens with a prefix that holds every acknowledged commit`(
        seed: UInt64
    ) async throws {
        let whole = MemoryFileSystem()
        let complete = await Self.play(whole, seed: seed)
        try #require(complete.acknowledged == complete.model.states.count - 1)
        var images = 0
        let stride = Soak.volume(9, soak: 1)
        for cut in Swift.stride(from: Int(seed) % stride, through: whole.changes, by: stride) {
            let disk = MemoryFileSystem()
            disk.cut(afterChanges: cut)
            let outcome = await Self.play(disk, seed: seed)
            for keep in [MemoryFileSystem.KeptWrites.none, .all, .random(seed: UInt64(cut))] {
                images += 1
                let image = disk.crashed(keeping: keep, names: .all)
                let database = try await Self.open(image)
                let number = Int(database.commitNumber.rawValue)
                let place: Comment = "seed \(seed), cut after \(cut) changes, kept \(keep), opened at \(number)"
                #expect(number >= outcome.acknowledged && number < outcome.model.states.count, place)
                guard number < outcome.model.states.count else { return }
                #expect(ReferenceDatabase.state(of: database.snapshot) == outcome.model.states[number], place)
                try await database.register(Counter())
                #expect(database.snapshot[Counter()] == ReferenceDatabase.counts(outcome.model.states[number]), place)
                // It goes on from there.
                try await database.write { $0[ReferenceDatabase.collections[0]]["on"] = Book(title: "on") }
                #expect(database.commitNumber.rawValue == UInt64(number + 1), place)
                try await database.close()
            }
        }
        #expect(images > 40)
    }

    @Test
    func `A full disk in the middle fails the commit and those behind it, and writing goes on when there is space`()
        async throws
    {
        let disk = MemoryFileSystem()
        var options = Self.options
        options.store.preallocationBytes = 0
        let database = try await Self.open(disk, options)
        let books = ReferenceDatabase.collections[0]
        try await database.register(Counter())
        try await database.write { $0[books]["a"] = Book(title: "a") }
        disk.fail(.write, nth: 1, errno: .noSpace)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[books]["b"] = Book(title: "b") }
        }
        #expect(error?.code == .diskFull)
        #expect(database.snapshot[books].map(\.key) == ["a"] && database.commitNumber == 1)
        try await database.write { $0[books]["c"] = Book(title: "c") }
        #expect(database.commitNumber == 2, "the number is used again")
        #expect(database.snapshot[Counter()] == ["alpha": 2])
        try await database.close()
        let reopened = try await Self.open(disk, options)
        #expect(reopened.snapshot[books].map(\.key) == ["a", "c"])
        try await reopened.close()
    }

    // A write that changes nothing returned at once. What it had read could still fail, and then had never been there.
    @Test func `A write that only reads does not return what the log then refuses`() async throws {
        let disk = MemoryFileSystem()
        var options = Self.options
        options.store.preallocationBytes = 0
        let database = try await Self.open(disk, options)
        let books = ReferenceDatabase.collections[0]
        try await database.write { $0[books]["a"] = Book(title: "a") }
        let gate = Flag()
        let isIssued = Flag()
        let isRead = Flag()
        disk.fail(.write, nth: 1, errno: .noSpace)
        disk.observe { isChange in if isChange { gate.wait() } }
        let writer = Task(executorPreference: OwnThreads.shared) {
            try await database.write {
                $0[books]["b"] = Book(title: "b")
                isIssued.set()
            }
        }
        let reader = Task(executorPreference: OwnThreads.shared) {
            isIssued.wait()
            return try await database.write { transaction in
                defer { isRead.set() }
                return transaction[books]["b"] != nil
            }
        }
        let opener = Task(executorPreference: OwnThreads.shared) {
            isRead.wait()
            gate.set()
        }
        await opener.value
        _ = await #expect { try await writer.value } throws: { ($0 as? DatabaseError)?.code == .diskFull }
        _ = await #expect { try await reader.value } throws: { ($0 as? DatabaseError)?.code == .abandoned }
        #expect(try await database.write { $0[books]["b"] == nil })
        try await database.close()
    }

    private struct SoldOut: Error {}

    private struct Hearer: WriteInstrument {
        let heard = Log()

        func beginWrite(origin: String) -> @Sendable (WriteReport) -> Void {
            { [heard] report in heard.add(report.error.map { "\(type(of: $0))" } ?? "\(report.commitNumber ?? 0)") }
        }
    }

    /// Where a write throws because of what it has read.
    enum ThrowingPlace: CaseIterable, Sendable { case closure, closureObserved, reaction, uniqueIndex }

    // What made it throw could still fail, and then had never been there: nobody got the last book, and it was sold out.
    @Test(arguments: ThrowingPlace.allCases, [true, false])
    func `A write does not throw because of what the log then refuses`(
        place: ThrowingPlace, isRefused: Bool
    ) async throws {
        let disk = MemoryFileSystem()
        let hearer = Hearer()
        var options = Self.options
        options.store.preallocationBytes = 0
        if place == .closureObserved { options.instruments = [hearer] }
        let database = try await Self.open(disk, options)
        let books = ReferenceDatabase.collections[0]
        switch place {
        case .closure, .closureObserved: break
        case .reaction:
            try await database.register(
                ReactionTests.Told(name: "sold out") { _, before, _ in
                    if before[books]["b"] != nil { throw SoldOut() }
                })
        case .uniqueIndex: try await database.register(RecordIndex("titles", of: books, \.title, unique: true))
        }
        try await database.write { $0[books]["a"] = Book(title: "a") }
        let gate = Flag()
        let isIssued = Flag()
        let isRead = Flag()
        if isRefused { disk.fail(.write, nth: 1, errno: .noSpace) }
        disk.observe { isChange in if isChange { gate.wait() } }
        let writer = Task(executorPreference: OwnThreads.shared) {
            try await database.write {
                $0[books]["b"] = Book(title: "b")
                isIssued.set()
            }
        }
        let reader = Task(executorPreference: OwnThreads.shared) { () -> (error: any Error, seesBook: Bool)? in
            isIssued.wait()
            do {
                try await database.write { transaction in
                    defer { isRead.set() }
                    transaction[books]["c"] = Book(title: place == .uniqueIndex ? "b" : "c")
                    guard place == .closure || place == .closureObserved else { return }
                    if transaction[books]["b"] != nil { throw SoldOut() }
                }
                return nil
            } catch {
                return (error, database.snapshot[books]["b"] != nil)
            }
        }
        let opener = Task(executorPreference: OwnThreads.shared) {
            isRead.wait()
            gate.set()
        }
        await opener.value
        let thrown = await reader.value
        let (error, seesBook) = try #require(thrown)
        let code = (error as? DatabaseError)?.code
        if isRefused {
            _ = await #expect { try await writer.value } throws: { ($0 as? DatabaseError)?.code == .diskFull }
            #expect(code == .abandoned && !seesBook, "\(error)")
            try await database.write { $0[books]["c"] = Book(title: "b") }
        } else {
            try await writer.value
            #expect(place == .uniqueIndex ? code == .uniqueViolation : error is SoldOut, "\(error)")
            #expect(seesBook, "it has waited until readers see what it has read")
        }
        #expect(database.snapshot[books].map(\.key) == (isRefused ? ["a", "c"] : ["a", "b"]))
        if place == .closureObserved {
            let outcomes = isRefused ? ["1", "DatabaseError", "DatabaseError", "2"] : ["1", "2", "SoldOut"]
            #expect(hearer.heard.lines.sorted() == outcomes.sorted())
        }
        try await database.close()
    }

    @Test func `Of many writers at a full disk each learns what became of its commit`() async throws {
        let disk = MemoryFileSystem()
        var options = Self.options
        options.store.preallocationBytes = 0
        let database = try await Self.open(disk, options)
        let books = ReferenceDatabase.collections[0]
        for nth in [2, 5, 9] { disk.fail(.write, nth: nth, errno: .noSpace) }
        let outcomes = await withTaskGroup(of: (Int, DatabaseError?).self) { group in
            for writer in 0..<200 {
                group.addTask {
                    do {
                        try await database.write { $0[books]["\(writer)"] = Book(title: "x") }
                        return (writer, nil)
                    } catch {
                        return (writer, error as? DatabaseError)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let kept = Set(outcomes.filter { $0.1 == nil }.map { "\($0.0)" })
        let codes = Set(outcomes.compactMap { $0.1?.code })
        #expect(codes.isSubset(of: [.diskFull, .abandoned]) && codes.contains(.diskFull))
        #expect(Set(database.snapshot[books].map(\.key)) == kept)
        #expect(database.commitNumber.rawValue == UInt64(kept.count))
        try await database.close()
        let reopened = try await Self.open(disk, options)
        #expect(Set(reopened.snapshot[books].map(\.key)) == kept)
        try await reopened.close()
    }

    @Test func `After a failed sync the database reads on, and takes no more writes`() async throws {
        let disk = MemoryFileSystem()
        let database = try await Self.open(disk)
        let books = ReferenceDatabase.collections[0]
        try await database.write { $0[books]["a"] = Book(title: "a") }
        disk.fail(.syncData, nth: 1, errno: .ioError)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[books]["b"] = Book(title: "b") }
        }
        #expect(error?.code == .syncFailed)
        for _ in 0..<2 {
            let later = await #expect(throws: DatabaseError.self) {
                try await database.write { $0[books]["c"] = Book(title: "c") }
            }
            #expect(later?.code == .readOnly)
        }
        #expect(database.snapshot[books].map(\.key) == ["a"])
        let fork = database.fork()
        try await fork.write { $0[books]["c"] = Book(title: "c") }
        #expect(fork.snapshot[books].count == 2)
        try? await database.close()
        // Whether the commit in doubt is there after a launch is open; nothing behind it is.
        let reopened = try await Self.open(disk.crashed(keeping: .all, names: .all))
        #expect([["a"], ["a", "b"]].contains(reopened.snapshot[books].map(\.key)))
        try await reopened.close()
    }

    @Test func `A checkpoint that fails takes nothing away`() async throws {
        let disk = MemoryFileSystem()
        let database = try await Self.open(disk)
        let books = ReferenceDatabase.collections[0]
        try await database.write { for index in 0..<100 { $0[books]["\(index)"] = Book(title: "x") } }
        for operation in [DiskError.Operation.write, .rename] {
            disk.fail(operation, nth: operation == .write ? 4 : 1, errno: .noSpace)
            _ = await #expect(throws: DatabaseError.self) { try await database.checkpoint() }
            disk.healFaults()
        }
        try await database.write { $0[books]["after"] = Book(title: "x") }
        try await database.checkpoint()
        try await database.close()
        let reopened = try await Self.open(disk)
        #expect(reopened.snapshot[books].count == 101)
        try await reopened.close()
    }
}
