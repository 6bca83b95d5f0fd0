import Proof
import TestSupport
import Testing
import Yaprak

/// A checker is believed when it finds what was planted, and nothing else.
@Suite(.bounded) struct HistoryCheckerTests {
    @Test(arguments: Anomaly.Kind.allCases)
    func `An anomaly that was planted is found, by its name`(kind: Anomaly.Kind) {
        for seed in 1...UInt64(Soak.volume(3, soak: 50)) {
            let found = HistoryChecker(PlantedAnomaly.history(kind, count: 400, seed: seed)).anomalies()
            #expect(found.contains { $0.kind == kind }, "seed \(seed): \(found)")
        }
    }

    @Test func `Nothing is found in a history that a serial database made`() {
        for seed in 1...UInt64(Soak.volume(5, soak: 200)) {
            var serial = SerialHistory(seed: seed)
            serial.add(600)
            let found = HistoryChecker(serial.history).anomalies()
            #expect(found.isEmpty, "seed \(seed): \(found)")
        }
    }

    @Test func `A database in memory has no anomalies, seen from outside and by commit`() async {
        let database = Database.inMemory()
        let recorder = HistoryRecorder(seed: 11)
        await recorder.run(database, clients: 6, transactions: Soak.volume(300, soak: 20_000))
        let history = recorder.history()
        #expect(HistoryChecker(history).anomalies().isEmpty)
        #expect(CommitOrderCheck.failure(in: history) == nil)
    }

    @Test func `A history over power cuts, full disks and failed syncs has no anomalies`() throws {
        for seed in 1...UInt64(Soak.volume(40, soak: 5000)) {
            let history = try #require(
                CrashHistory.record(seed: seed, opens: 4), "seed \(seed) does not open, or hangs")
            let found = HistoryChecker(history).anomalies()
            #expect(found.isEmpty, "seed \(seed): \(found)")
        }
    }
}
