import SystemPackage
import TestSupport
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// A scripted life of a database, which may end at any call to the disk.
struct Workload: Sendable {
    enum Step: Sendable {
        case append(bytes: Int)
        /// Several without waiting between them.
        case burst(count: Int, bytes: Int)
        case flush
        case checkpoint
        case reopen
    }

    let name: String
    let durability: Durability
    let steps: [Step]

    /// How far it came.
    struct Outcome {
        /// Commits a crash must not take away.
        var promised = 0
        /// Every commit that was ever handed in, in order.
        var issued: [[UInt8]] = []
        /// Why it ended early.
        var error: (any Error)?
    }

    var options: StoreOptions {
        var options = Harness.options(durability)
        options.frameBytesMax = 1200
        options.chunkBytes = 700
        options.checkpointSyncBytes = 1500
        return options
    }

    /// Runs until the end or the first error, then closes, if that is possible.
    func run(on disk: MemoryFileSystem) -> Outcome {
        var outcome = Outcome()
        var current: Opened?
        do {
            current = try Opened(disk, Harness.path, options)
            for step in steps { try run(step, &current, disk, &outcome) }
            try current?.store.close()
            outcome.promised = outcome.issued.count
        } catch {
            outcome.error = error
            if let store = current?.store { outcome.promised = max(outcome.promised, promised(by: store)) }
            try? current?.store.close()
        }
        return outcome
    }

    private func promised(by store: Store) -> Int {
        Int(durability == .always ? store.acknowledgedNumber.rawValue : store.durableNumber.rawValue)
    }

    private func run(
        _ step: Step, _ current: inout Opened?, _ disk: MemoryFileSystem, _ outcome: inout Outcome
    ) throws {
        switch step {
        case .append(let bytes): try append(1, bytes, &current, &outcome)
        case .burst(let count, let bytes): try append(count, bytes, &current, &outcome)
        case .flush: try current?.store.flush()
        case .checkpoint:
            try current?.checkpoint()
        case .reopen:
            try current?.store.close()
            outcome.promised = outcome.issued.count
            current = try Opened(disk, Harness.path, options)
            guard current?.items == outcome.issued else { throw TestFailure("a clean close lost something") }
        }
        if let store = current?.store { outcome.promised = max(outcome.promised, promised(by: store)) }
    }

    private func append(_ count: Int, _ bytes: Int, _ current: inout Opened?, _ outcome: inout Outcome) throws {
        let first = outcome.issued.count + 1
        let new = (0..<count).map { Harness.item(first + $0, bytes: bytes, compressible: $0 % 2 == 0) }
        outcome.issued += new
        try current?.append(new)
    }

    /// Short, and with something of everything.
    static let everything = Workload(
        name: "everything", durability: .always,
        steps: [
            .append(bytes: 200), .checkpoint, .append(bytes: 2000), .checkpoint, .append(bytes: 10), .checkpoint,
            .reopen,
            .append(bytes: 70),
        ])

    static let all: [Workload] = [
        Workload(
            name: "commits one by one", durability: .always,
            steps: [.append(bytes: 10), .append(bytes: 300), .append(bytes: 700), .append(bytes: 20)]),
        Workload(
            name: "rotation and commits larger than a frame", durability: .always,
            steps: [
                .append(bytes: 900), .append(bytes: 3000), .append(bytes: 100), .append(bytes: 2500), .append(bytes: 5),
            ]),
        Workload(
            name: "checkpoints, pruning, closing", durability: .always,
            steps: [
                .append(bytes: 200), .checkpoint, .append(bytes: 300), .checkpoint, .append(bytes: 50), .checkpoint,
                .append(bytes: 60), .reopen, .append(bytes: 70),
            ]),
        Workload(
            name: "nothing synced until asked", durability: .relaxed,
            steps: [
                .append(bytes: 200), .append(bytes: 300), .flush, .append(bytes: 800), .append(bytes: 100), .checkpoint,
                .append(bytes: 40), .append(bytes: 50),
            ]),
        Workload(
            name: "groups", durability: .always,
            steps: [.burst(count: 5, bytes: 200), .burst(count: 7, bytes: 400), .reopen, .burst(count: 3, bytes: 30)]),
    ]
}
