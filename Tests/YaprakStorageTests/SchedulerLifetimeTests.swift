import SystemPackage
import TestSupport
import Testing
import YaprakSimulator
import YaprakStorage

/// What a simulated store keeps alive.
@Suite(.bounded) struct SchedulerLifetimeTests {
    /// The memory of the fuzzer grew with each directory: the log of a closed store kept a turn, which kept the log.
    @Test func `A closed store lets go of its scheduler`() {
        weak var released: SeededScheduler?
        do {
            let scheduler = SeededScheduler(seed: 1)
            released = scheduler
            let failure = scheduler.run { () -> String in
                do {
                    var options = StoreOptions()
                    options.scheduler = scheduler
                    let (store, recovery) = try Store.open("/db", options: options, fileSystem: MemoryFileSystem())
                    try recovery.replay { _, _ in }
                    try store.close()
                    return ""
                } catch {
                    return "\(error)"
                }
            }
            #expect(failure == "")
        }
        #expect(released == nil)
    }
}
