import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakLocks
import YaprakReplay

@testable import YaprakTool

/// Pictures of when commits were made: whatever the times are, every commit is in a bar.
@Suite(.bounded) struct PlotTests {
    private func statistics(of times: [Int64]) async throws -> ReplayStatistics {
        let folder = try Folder(), now = Mutex<Int64>(0)
        var options = DatabaseOptions()
        options.clock = { now.withLock { $0 } }
        options.durability = .relaxed
        let database = try await Database.open(
            at: FilePath(folder("times.yaprak")), options: options, collections: .shopBooks)
        for time in times {
            now.withLock { $0 = time }
            try await database.write { $0[.shopBooks]["x"] = ShopBook(title: "", rank: 0) }
        }
        try await database.close()
        return try ReplayReader(FilePath(folder("times.yaprak"))).statistics()
    }

    @Test(
        arguments: [
            [0], [.min, .max], [.min], [.max], [-1, 0, 1], [5, 5, 5], [0, 1_000, 2_000], [.max, .min, 0, 1],
            Array(stride(from: 1_356_998_400_000_000_000, to: 1_357_603_200_000_000_000, by: 3_333_333_333_333)),
        ] as [[Int64]])
    func `Every commit is in a bar, however wrong the clock was`(times: [Int64]) async throws {
        let statistics = try await statistics(of: times)
        for barsMax in [1, 10, 77, 256] {
            let plot = try #require(ActivityPlot(statistics, barsMax: barsMax))
            #expect(plot.commits.reduce(0, +) == times.count)
            #expect(plot.changes.reduce(0, +) == times.count)
            #expect(plot.ticks(max: 9).count <= 10)
            guard barsMax <= ActivityPlot.barsMax(width: 100) else { continue }
            let lines = plot.lines(width: 100)
            #expect(lines.allSatisfy { $0.count <= 100 }, "\(lines)")
            #expect(lines.count == 11)
        }
    }

    @Test func `Slices stay few, and lose no commit`() async throws {
        var random = SplitMix64(seed: 9)
        let times = (0..<6000).map { _ in Int64(bitPattern: random.next()) }
        let statistics = try await statistics(of: times)
        let slices = statistics.activity.slices
        #expect(slices.count <= 4096)
        #expect(slices.reduce(0) { $0 + $1.commitCount } == 6000)
        #expect(statistics.nanosecondsSince1970 == times.min()!...times.max()!)
    }

    @Test func `Marks are round, and the highest bar is below the last`() {
        for most in Array(0...2000) + [99_999, 100_001, 123_456_789, Int(Int32.max)] {
            let (top, marks) = ActivityPlot.scale([0, most])
            #expect(top >= most && top <= max(4, most * 2 + 4), "\(most)")
            #expect(marks.first == 0 && marks.last == top && (2...6).contains(marks.count), "\(most): \(marks)")
        }
    }

    @Test func `What a database is called can't break the picture`() async throws {
        let plot = try #require(ActivityPlot(try await statistics(of: [0, 1]), barsMax: 10))
        let svg = plot.svg(title: "</title><script>\"&\u{1b}")
        #expect(svg.contains("&lt;/title&gt;&lt;script&gt;"))
        #expect(!svg.contains("<script") && !svg.contains("\u{1b}"))
        let parser = XMLReader(svg)
        #expect(parser.isWellFormed)
    }

    @Test func `Fields are compared all the way down`() throws {
        func changes(_ a: CBORValue?, _ b: CBORValue?) -> [String] {
            FieldChange.between(a, b).map {
                "\($0.path): \($0.before?.diagnostic() ?? "–") \($0.after?.diagnostic() ?? "–")"
            }
        }
        #expect(changes(["a": 1, "b": 2], ["a": 1, "b": 3]) == ["b: 2 3"])
        #expect(changes(["a": 1], ["b": 1]) == ["a: 1 –", "b: – 1"])
        #expect(changes(["s": [1, ["n": "x"]]], ["s": [1, ["n": "y"], 5]]) == [#"s[1].n: "x" "y""#, "s[2]: – 5"])
        #expect(changes(["a b": 1, 7: 2], ["a b": 2, 7: 3]) == [#"["a b"]: 1 2"#, "[7]: 2 3"])
        #expect(changes(1, "one") == [#": 1 "one""#])
        #expect(changes(nil, ["a": 1]) == [#": – {"a": 1}"#])
        #expect(changes(["a": ["b": 1]], ["a": [1]]) == [#"a: {"b": 1} [1]"#])
        #expect(changes(["a": nil], ["a": nil]).isEmpty)
        #expect(changes(nil, nil).isEmpty)
    }
}

/// Reads tags, to see whether each is closed.
private struct XMLReader {
    let isWellFormed: Bool

    init(_ text: String) {
        var open: [Substring] = [], isFine = true
        for piece in text.split(separator: "<").map({ $0.prefix { $0 != ">" } }) {
            let name = piece.prefix { $0 != " " && $0 != "/" }
            if piece.hasPrefix("/") {
                isFine = isFine && open.popLast() == piece.dropFirst()
            } else if !piece.hasSuffix("/") {
                open.append(name)
            }
        }
        isWellFormed = isFine && open.isEmpty
    }
}
