import TestSupport
import Yaprak

/// A write that holds the turn of a database until it is let go, on a thread of its own.
///
/// It holds the turn when it was made. A writer that came between its arrival and its closure could overtake it, and take it
/// with it to a thread of the pool, which must not be blocked.
struct HeldTurn {
    private let gate = Flag()
    private let writer: Task<Void, any Error>

    init(
        of database: Database, _ body: @escaping @Sendable (inout WriteTransaction) -> Void = { _ in }
    ) async throws {
        let holds = Flag()
        writer = Task.detached(executorPreference: OwnThreads.shared) { [gate] in
            try await database.write { transaction in
                body(&transaction)
                holds.set()
                gate.wait()
            }
        }
        while !holds.isSet { try await Task.sleep(for: .microseconds(200)) }
    }

    /// Ends the write. Returns when it is committed.
    func letGo() async throws {
        gate.set()
        try await writer.value
    }
}
