import Dispatch
import TestSupport
import Testing
import Yaprak
import YaprakLocks

@testable import YaprakCore

/// An executor that notes the priorities of the tasks that resume those it runs.
private final class Witness: TaskExecutor {
    private let priorities = YaprakLocks.Mutex<[TaskPriority]?>(nil)

    /// Begins to note.
    func begin() { priorities.withLock { $0 = [] } }

    /// What was noted.
    var noted: [TaskPriority] { priorities.withLock { $0 ?? [] } }

    func enqueue(_ job: consuming ExecutorJob) {
        if let priority = withUnsafeCurrentTask(body: { $0?.priority }) { priorities.withLock { $0?.append(priority) } }
        let job = UnownedJob(job)
        DispatchQueue.global().async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

@Suite(.bounded) struct StreamPriorityTests {
    let database = Database.inMemory()

    // It had the default priority: where others of high priority kept all threads busy, none of them saw a commit.
    @Test func `Many who wait for a snapshot are woken by a task of high priority, whatever theirs`() async throws {
        let witness = Witness()
        let consumers = (0..<100).map { _ in
            Task(executorPreference: witness, priority: .background) { [database] in
                var iterator = database.snapshots.makeAsyncIterator()
                _ = await iterator.next()
                return await iterator.next()?.commitNumber
            }
        }
        while database.publication.waiterCount < consumers.count { await Task.yield() }
        witness.begin()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        for consumer in consumers { #expect(await consumer.value == 1) }
        // The last may have been resumed before it was suspended, which gives the executor nothing.
        #expect(witness.noted.count { $0 == .high } > 64, "\(witness.noted)")
    }
}
