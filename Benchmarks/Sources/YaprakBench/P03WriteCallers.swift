import Foundation
import Yaprak

extension Measure {
    /// P3 from other callers, and beside relationships and reactions that a write does not concern.
    ///
    /// In databases of their own: what the rows of ``singleWrite`` meet stays as it was before these were here.
    static var writeCallers: Measure {
        Measure(id: "P3") { settings, report in
            let n = settings.rows
            let operations = min(n, 10_000)
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)
            let probes = probes(keys)

            let database = try await Database.filled(keys, items)
            let served = try await Database.filled(keys, items)
            let shown = try await Database.filled(keys, items)
            let related = try await Database.filled(keys, items)
            try await related.register(
                Relationship("elsewhere", from: .links, \.target, to: .links, onDelete: .cascade))
            try await related.register(RecordReaction("elsewhere", to: .links) { _, _ in })

            let writer = Writer()
            // Other rows with each run, for all alike.
            var round = 0
            let series = try await interleave(
                [
                    Contender(name: "Yaprak") {
                        round += 1
                        let slice = window(probes, operations, round)
                        return try await time(operations) { try await database.update(slice, items) }
                    },
                    Contender(name: "Yaprak, relationship and reaction elsewhere") {
                        let slice = window(probes, operations, round)
                        return try await time(operations) { try await related.update(slice, items) }
                    },
                    Contender(name: "Yaprak, from an actor") {
                        let slice = window(probes, operations, round)
                        return try await time(operations) { try await writer.update(served, slice, items) }
                    },
                    Contender(name: "Yaprak, from the main actor") {
                        let slice = window(probes, operations, round)
                        return try await time(operations) { try await updateOnMainActor(shown, slice, items) }
                    },
                ], runs: settings.runs)

            report.compare(
                "P3", "update, one per transaction, a relationship and a reaction of other records", series[1],
                series[0], .atMost(1.05))
            report.compare("P3", "update, one per transaction, from an actor", series[2], series[0], .none)
            report.compare("P3", "update, one per transaction, from the main actor", series[3], series[0], .none)
        }
    }
}

/// Writes from its own executor, as a service's actor does.
private actor Writer {
    func update(_ database: Database, _ keys: ArraySlice<String>, _ items: [Item]) async throws {
        try await database.update(keys, items)
    }
}

/// Writes from where user interfaces are.
@MainActor
private func updateOnMainActor(_ database: Database, _ keys: ArraySlice<String>, _ items: [Item]) async throws {
    try await database.update(keys, items)
}

/// A record that refers to another.
struct Link: Codable, Sendable {
    var target: String?
}

extension RecordCollection where Object == Link, Metadata == NoMetadata {
    fileprivate static var links: Self { Self("links") }
}
