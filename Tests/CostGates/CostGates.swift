import CCounters
import Foundation
import Yaprak

/// Counts what the public calls cost in things that don't wobble, and ends with 1 where one is above its limit: allocations,
/// references, calls of closures, bytes and syncs. A limit is what was measured when it was written, and a little room; a change
/// that makes it better lowers it.
@main
struct CostGates {
    static func main() async throws {
        // A task of its own, as most writers have: the main thread is an executor to hop from.
        let gates = try await Task.detached { () -> [Gate] in
            var gates = try await memory()
            gates += try await views()
            gates += try await search()
            gates += try await files()
            return gates
        }.value
        for gate in gates { print(gate.line) }
        if cc_counts_references() == 0 {
            print("references are counted with glibc on x86-64 only: those gates were left out")
        }
        if cc_counts() == 0 { print("allocations are counted with glibc only: those gates were left out") }
        let failed = gates.filter { !$0.holds }.count
        guard failed == 0 else {
            print("\(failed) of \(gates.count) costs are above their limits")
            exit(1)
        }
        print("all \(gates.count) costs are within their limits")
    }

    /// Allocations of `body`, for each of so many rounds.
    /// - Parameter times: as for references.
    static func allocations(
        _ what: String, atMost limit: Double, rounds: Int, leastOf times: Int = 1, _ body: (Int) async throws -> Void
    ) async rethrows -> [Gate] {
        // What is made once, and what waits to be reclaimed, is not the call's.
        for round in 0..<rounds / 10 { try await body(rounds + round) }
        var count = Double.infinity
        for _ in 0..<times where count > limit {
            let before = cc_allocations()
            for round in 0..<rounds { try await body(round) }
            count = min(count, Double(cc_allocations() - before) / Double(rounds))
            if times > 1, count > limit { try? await Task.sleep(for: .milliseconds(10)) }
        }
        return cc_counts() == 0 ? [] : [Gate("allocations: " + what, count, atMost: limit)]
    }

    /// References that `body` adds and gives up, for each of so many rounds: a struct of ten references that is copied and
    /// forgotten costs twenty.
    /// - Parameter times: how often it is counted at most. The least is taken, as something else may still free what it made; it
    ///   gets some time for that.
    static func references(
        _ what: String, atMost limit: Double, rounds: Int, leastOf times: Int = 1, _ body: (Int) async throws -> Void
    ) async rethrows -> [Gate] {
        for round in 0..<rounds / 10 { try await body(rounds + round) }
        cc_count_references(1)
        defer { cc_count_references(0) }
        var count = Double.infinity
        for _ in 0..<times {
            let before = cc_references()
            for round in 0..<rounds { try await body(round) }
            count = min(count, Double(cc_references() - before) / Double(rounds))
            if times > 1, count > limit { try? await Task.sleep(for: .milliseconds(10)) }
        }
        return cc_counts_references() == 0 ? [] : [Gate("references: " + what, count, atMost: limit)]
    }
}

/// A count, and the most it may be.
struct Gate {
    let what: String
    let count: Double
    let limit: Double

    init(_ what: String, _ count: Double, atMost limit: Double) {
        self.what = what
        self.count = count
        self.limit = limit
    }

    var holds: Bool { count <= limit }

    var line: String {
        let tenths = (count * 10).rounded() / 10
        return "\(holds ? "pass" : "FAIL")  \(what): \(tenths), at most \(limit)"
    }
}

/// A small record without references: it needs no memory but that of its box.
struct Item: Codable, Sendable {
    var rank: Int
    var group: Int
    var weight: Int
    var height: Int
}

extension RecordCollection where Object == Item, Metadata == NoMetadata {
    static var items: Self { Self("items") }
}

/// Keys that fit a string without memory of its own, scattered.
func key(_ number: Int) -> String {
    String(UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15, radix: 36)
}

extension Database {
    /// Puts so many items into the collection, in one commit.
    func fill(_ count: Int) async throws {
        try await write { transaction in
            for number in 0..<count {
                transaction[.items][key(number)] = Item(rank: number, group: number % 7, weight: 0, height: 0)
            }
        }
    }
}
