import Foundation
import Testing

@testable import YaprakLists

/// Changes applied to the old list give the new list: for contents, commits and options drawn at random.
@Suite struct LawTests {
    private static var casesPerLane: Int {
        ProcessInfo.processInfo.environment["YAPRAK_SOAK"] == nil ? 20_000 : 2_000_000
    }

    @Test(arguments: [UInt64](1...2))
    func `Changes applied to the old list give the new list`(lane: UInt64) {
        var judged = 0
        for number in 0..<Self.casesPerLane {
            let seed = lane << 32 | UInt64(number)
            let found = LawCase.random(seed: seed)
            judged += found.count
            guard found.fault() != nil else { continue }
            let least = found.shrunk()
            Issue.record("seed \(seed)\n\(least)\n\(least.fault() ?? "")")
            return
        }
        print("lane \(lane): \(judged) changes")
    }
}
