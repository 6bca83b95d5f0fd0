import TestSupport
import Testing
import Yaprak

@testable import YaprakExtensions

/// Random graphs with random rules over random histories, held against plain dictionaries.
@Suite(.bounded) struct RelationshipModelTests {
    typealias Records = FamilyModel.Records
    typealias Nodes = RecordCollection<Node, NoMetadata>
    static let seeds: [UInt64] = Array(1...UInt64(Soak.volume(60, soak: 2000)))
    static let collections: [Nodes] = [.parents, .children, .toys]

    /// One transaction, for the engine and for the model.
    struct Transaction {
        enum Operation {
            case set(Nodes, String, Node)
            case remove(Nodes, String)
            case removeAll(Nodes)
        }
        struct Undone: Error {}
        var operations: [Operation] = []
        var isUndone = false

        static func random(_ random: inout SplitMix64) -> Transaction {
            var transaction = Transaction()
            for _ in 0...random.below(6) {
                let collection = collections[random.below(3)]
                let key = "\(random.below(7))"
                switch random.below(20) {
                case 0..<11: transaction.operations.append(.set(collection, key, node(&random)))
                case 11..<18: transaction.operations.append(.remove(collection, key))
                case 18:
                    transaction.operations.append(.remove(collection, key))
                    transaction.operations.append(.set(collection, key, node(&random)))
                default: if random.chance(40) { transaction.operations.append(.removeAll(collection)) }
                }
            }
            transaction.isUndone = random.chance(5)
            return transaction
        }

        private static func node(_ random: inout SplitMix64) -> Node {
            func key() -> String { "\(random.below(7))" }
            return Node(
                must: key(), one: random.chance(60) ? key() : nil, many: (0..<random.below(4)).map { _ in key() })
        }

        func run(in transaction: inout WriteTransaction) throws {
            for operation in operations {
                switch operation {
                case .set(let collection, let key, let node): transaction[collection][key] = node
                case .remove(let collection, let key): transaction[collection].remove(key)
                case .removeAll(let collection): transaction[collection].removeAll()
                }
            }
            if isUndone { throw Undone() }
        }

        /// The records afterwards, what was removed in the order of its first change, and what was set.
        func run(on before: Records) -> (Records, [(collection: String, key: String)], Set<[String]>) {
            var records = before
            var order: [(collection: String, key: String)] = []
            var collections: [String] = []
            var cleared: Set<String> = []
            var written: Set<[String]> = []
            func note(_ collection: Nodes, _ key: String?) {
                if !collections.contains(collection.name) { collections.append(collection.name) }
                guard let key, !order.contains(where: { $0 == (collection.name, key) }) else { return }
                order.append((collection.name, key))
            }
            for operation in operations {
                switch operation {
                case .set(let collection, let key, let node):
                    records[collection.name, default: [:]][key] = node
                    written.insert([collection.name, key])
                    note(collection, key)
                case .remove(let collection, let key):
                    if records[collection.name]?.removeValue(forKey: key) != nil { note(collection, key) }
                case .removeAll(let collection):
                    let hadAny = records[collection.name]?.isEmpty == false
                    if hadAny || collections.contains(collection.name) { note(collection, nil) }
                    if hadAny || collections.contains(collection.name) { cleared.insert(collection.name) }
                    records[collection.name] = [:]
                    order.removeAll { $0.collection == collection.name }
                }
            }
            var removed: [(collection: String, key: String)] = []
            for collection in collections {
                let keys =
                    cleared.contains(collection)
                    ? (before[collection] ?? [:]).keys.sorted()
                    : order.filter { $0.collection == collection }.map(\.key)
                for key in keys where before[collection]?[key] != nil && records[collection]?[key] == nil {
                    removed.append((collection, key))
                }
            }
            return (records, removed, written)
        }
    }

    static func records(in snapshot: Snapshot) -> Records {
        var records: Records = [:]
        for collection in collections {
            for row in snapshot[collection] { records[collection.name, default: [:]][row.key] = row.object }
        }
        return records
    }

    static func compact(_ records: Records) -> Records { records.filter { !$0.value.isEmpty } }

    /// Runs one transaction against both and compares them.
    static func step(
        _ database: Database, _ model: inout FamilyModel, _ transaction: Transaction, _ context: String
    ) async throws {
        let before = compact(model.records)
        var after = model
        var outcome = FamilyModel.Outcome.done
        if !transaction.isUndone {
            let (records, removed, written) = transaction.run(on: before)
            after.records = records
            outcome = after.follow(from: before, removed: removed, written: written)
        }
        var thrown: DatabaseError.Code?
        do {
            try await database.write { try transaction.run(in: &$0) }
        } catch is Transaction.Undone {
        } catch let error as DatabaseError {
            thrown = error.code
        }
        switch outcome {
        case .done:
            try #require(thrown == nil, "\(context): \(thrown!) was thrown\n\(model.kin)\n\(before)\n\(transaction)")
        case .restricted:
            try #require(thrown == .removalRestricted, "\(context)\n\(model.kin)\n\(before)\n\(transaction)")
        case .dangling:
            try #require(thrown == .danglingReference, "\(context)\n\(model.kin)\n\(before)\n\(transaction)")
        }
        if outcome == .done && !transaction.isUndone { model.records = after.records }
        try check(database.snapshot, model, "\(context)\n\(model.kin)\n\(before)\n\(transaction)")
    }

    /// Compares records and every question to every relationship.
    static func check(_ snapshot: Snapshot, _ model: FamilyModel, _ context: String) throws {
        try #require(records(in: snapshot) == compact(model.records), "\(context)")
        for kinship in model.kin {
            let reader = snapshot[kinship.relationship]
            try #require(reader.missingTargets == model.missingTargets(kinship), "\(context)")
            try #require(reader.missingTargetCount == reader.missingTargets.count, "\(context)")
            for key in (0..<7).map({ "\($0)" }) {
                let sources = model.sourceKeys(kinship, of: key)
                try #require(reader.sourceKeys(of: key) == sources, "\(context)")
                try #require(reader.sourceCount(of: key) == sources.count, "\(context)")
                try #require(reader.sources(of: key).map(\.key) == sources, "\(context)")
                var seen: Set<String> = []
                let targets = (model.records[kinship.from.name]?[key].map { kinship.references(of: $0) } ?? [])
                    .filter { seen.insert($0).inserted }
                try #require(reader.targetKeys(of: key) == targets, "\(context)")
                let there = targets.filter { model.records[kinship.to.name]?[$0] != nil }
                try #require(reader.targets(of: key).map(\.key) == there, "\(context)")
                try #require(reader.target(of: key)?.key == there.first, "\(context)")
            }
        }
    }

    @Test(arguments: seeds) func `Records and edges are what the table of rules makes of any history`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        var kin = (0..<1 + random.below(4)).map { Kinship.random(&random, number: $0) }
        let folder = TemporaryDirectory()
        let path = folder.appending("family")
        let hasFile = random.chance(30)
        func open() async throws -> Database {
            let database =
                hasFile
                ? try await Database.open(at: path, collections: .parents, .children, .toys) : Database.inMemory()
            for kinship in kin { try await database.register(kinship.relationship) }
            return database
        }
        var database = try await open()
        var model = FamilyModel(kin, [:])
        var held: [(Snapshot, FamilyModel)] = []
        for number in 0..<40 {
            let context = "seed \(seed), step \(number)"
            try await Self.step(database, &model, .random(&random), context)
            switch random.below(24) {
            case 0:
                held.append((database.snapshot, model))
            case 1 where hasFile:
                try await database.close()
                database = try await open()
                held = []
                try Self.check(database.snapshot, model, "\(context), reopened")
            case 2:
                // Registered late, it comes last.
                let kinship = kin.remove(at: random.below(kin.count))
                try await database.unregister(kinship.name)
                try await database.register(kinship.relationship)
                kin.append(kinship)
                model = FamilyModel(kin, model.records)
                try Self.check(database.snapshot, model, "\(context), registered again")
            case 3:
                let fork = database.fork()
                var other = model
                for more in 0..<6 { try await Self.step(fork, &other, .random(&random), "\(context), fork \(more)") }
                try Self.check(database.snapshot, model, "\(context), beside a fork")
            case 4 where !held.isEmpty:
                let (past, then) = held[random.below(held.count)]
                try await database.restore(past)
                model.records = then.records
                try Self.check(database.snapshot, model, "\(context), restored")
            default: break
            }
        }
        for (snapshot, then) in held {
            try #require(
                Self.records(in: snapshot) == Self.compact(then.records), "seed \(seed): a held snapshot changed")
        }
        try await database.close()
    }
}
