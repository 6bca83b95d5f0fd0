import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

/// A month of commits, searched by halves: ⌈log₂ 31,108⌉ + 1 is 16.
@Suite(.bounded) struct JanuaryBisectTests {
    private func search(_ text: String, from cursor: HistoryCursor) throws -> ReplayBisection {
        let isBad = try ReplayExpression(text, about: .snapshot)
        var search = ReplayBisection(good: 0, bad: CommitNumber(UInt64(January.commitCount)))
        while let commit = search.next {
            try cursor.seek(to: commit)
            search.note(isBad.holds(in: cursor.snapshot) ? .bad : .good)
        }
        return search
    }

    @Test func `The commit that began something is found in at most sixteen probes`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let reader = try ReplayReader(await January.path())
        // What began when, read from one end of the log to the other.
        var minutes: [(number: CommitNumber, minute: Int64)] = []
        var inserted: [String: CommitNumber] = [:]
        var latest: (minutes: Int64, number: CommitNumber) = (.min, 0)
        for try await commit in reader.commits() {
            minutes.append((commit.commitNumber, commit.info?["minute"]?.integer ?? -1))
            for change in commit.collections.flatMap(\.changes) {
                if change.kinds.contains(.inserted) { inserted[change.key] = commit.commitNumber }
                if let delay = try change.object()?["arrivalDelay"]?.integer, delay > latest.minutes {
                    latest = (delay, commit.commitNumber)
                }
            }
        }
        #expect(minutes.count == January.commitCount)
        let cursor = try reader.cursor()
        for _ in 0..<Soak.volume(1, soak: 3) {
            let planted = minutes[random.below(minutes.count)]
            let byClock = try search(#"clock["now"].minute >= \#(planted.minute)"#, from: cursor)
            #expect(byClock.outcome == .found(planted.number), "seed \(seed)")
            #expect(byClock.probeCount <= 16, "seed \(seed)")
            let (key, number) = try #require(inserted.randomElement(using: &random))
            let byKey = try search(#"exists(flights["\#(key)"]) or exists(clock["\#(key)"])"#, from: cursor)
            #expect(byKey.outcome == .found(number), "seed \(seed): \(key)")
            #expect(byKey.probeCount <= 16, "seed \(seed)")
        }
        // A question to every flight there is.
        let byDelay = try search("any(flights, .arrivalDelay >= \(latest.minutes))", from: cursor)
        #expect(byDelay.outcome == .found(latest.number))
        #expect(byDelay.probeCount <= 16)
    }
}
