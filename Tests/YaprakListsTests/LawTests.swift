import Foundation
import Testing

@testable import YaprakLists

/// Changes applied to the old list give the new list: for contents, commits and options drawn at random.
@Suite struct LawTests {
    /// `YAPRAK_SOAK` makes it a long run, and is the number of the first seeds.
    private static let soak = ProcessInfo.processInfo.environment["YAPRAK_SOAK"].map { UInt64($0) ?? 1 }

    @Test(arguments: [UInt64](1...2))
    func `Changes applied to the old list give the new list`(lane: UInt64) {
        var judged = 0
        for number in 0..<(Self.soak == nil ? 20_000 : 400_000) {
            let seed = (Self.soak ?? 0) << 40 | lane << 32 | UInt64(number)
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
