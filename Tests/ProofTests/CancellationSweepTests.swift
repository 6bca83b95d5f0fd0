import Proof
import TestSupport
import Testing

/// Every call of the public API that awaits, cancelled at every step of its run.
@Suite(.bounded) struct CancellationSweepTests {
    @Test(arguments: CancellationSweep.calls.indices)
    func `A call that is cancelled ends, and the database goes on`(index: Int) {
        var sweep = CancellationSweep()
        sweep.sweep(CancellationSweep.calls[index], seeds: 1..<1 + UInt64(Soak.volume(2, soak: 200)))
        #expect(sweep.failure == nil)
        #expect(sweep.runs > 2)
    }
}
