import Proof
import TestSupport
import Testing

/// The whole engine by one seed: disk, clock, log and tasks.
@Suite(.bounded) struct SimulationTests {
    @Test func `One seed is one history, byte for byte`() {
        for seed in 1...UInt64(Soak.volume(20, soak: 1000)) {
            let script = SimulationScript(seed: seed)
            #expect(Simulation(script).run() == Simulation(script).run(), "seed \(seed)")
        }
    }

    @Test func `No history loses, invents or hangs, whatever the disk does`() {
        for seed in 1000..<UInt64(1000 + Soak.volume(250, soak: 20_000)) {
            let script = SimulationScript(seed: seed)
            guard let failure = Simulation(script).run().failure else { continue }
            let (shrunk, reason) = script.shrunk()
            Issue.record("seed \(seed): \(failure); shrunk: \(reason)\n\(shrunk)")
            return
        }
    }
}
