import Foundation
import Proof
import TestSupport
import Testing

/// The whole engine by one seed: disk, clock, log and tasks.
@Suite(.bounded) struct SimulationTests {
    @Test func `One seed is one history, byte for byte`() {
        for seed in 1...UInt64(Soak.volume(12, soak: 1000)) {
            let script = SimulationScript(seed: seed)
            #expect(Simulation(script).run() == Simulation(script).run(), "seed \(seed)")
        }
    }

    // Each process hashes in another way: what depended on the order of a set would differ.
    @Test func `One seed is one history in every process`() throws {
        func digest() throws -> String {
            let process = Process.inRepository()
            process.executableURL = BuiltProgram.url("ProofRunner")
            process.arguments = ["simulation", "--from", "50", "--count", "30"]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
            return String(try #require(lines.first { $0.hasPrefix("digest") }))
        }
        #expect(try digest() == digest())
    }

    @Test func `No history loses, invents or hangs, whatever the disk does`() {
        for seed in 1000..<UInt64(1000 + Soak.volume(150, soak: 20_000)) {
            let script = SimulationScript(seed: seed)
            guard let failure = Simulation(script).run().failure else { continue }
            let (shrunk, reason) = script.shrunk()
            Issue.record("seed \(seed): \(failure); shrunk: \(reason)\n\(shrunk)")
            return
        }
    }
}
