import Foundation
import Synchronization
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakLocks

@testable import YaprakTool

/// Commits at their pace, and by keys.
@Suite(.bounded) struct ReplayTests {
    let folder: Folder
    let shop: String

    init() async throws {
        folder = try Folder()
        shop = folder("shop.yaprak")
        // Three commits, a second apart.
        try await makeShop(at: shop)
    }

    @Test func `Speeds are factors, or no limit`() {
        for (text, factor) in [("1x", 1), ("60", 60), ("0.5x", 0.5), ("1000x", 1000)] as [(String, Double)] {
            #expect(ReplaySpeed(argument: text)?.factor == factor, "\(text)")
        }
        #expect(ReplaySpeed(argument: "max")?.factor == nil && ReplaySpeed(argument: "max") != nil)
        for text in ["", "x", "fast", "0", "-1x", "nan", "inf", "1e300x"] {
            #expect(ReplaySpeed(argument: text) == nil, "\(text)")
        }
        let hour: Int64 = 3_600_000_000_000
        #expect(ReplaySpeed(argument: "60x")?.pause(from: 0, to: hour) == .seconds(60))
        #expect(ReplaySpeed(argument: "60x")?.pause(from: hour, to: 0) == .zero)
        #expect(ReplaySpeed(argument: "max")?.pause(from: 0, to: hour) == .zero)
        #expect(ReplaySpeed(argument: "1x")!.pause(from: .min, to: .max) > .seconds(1 << 32))
    }

    @Test func `A play takes its time, divided by the speed, and no longer than it is asked to`() async throws {
        func play(_ options: String...) async -> (Outcome, Duration) {
            let start = ContinuousClock.now
            let outcome = await yaprak(["replay", shop] + options)
            return (outcome, .now - start)
        }
        let (slow, took) = await play("--speed", "4x")
        #expect(slow.lines.count == 3 && took >= .milliseconds(500))
        let (fast, _) = await play("--speed", "max")
        #expect(fast.out == slow.out && fast.code == 0)
        let (_, short) = await play("--speed", "0.001x", "--max-pause", "0.05")
        #expect(short >= .milliseconds(100) && short < .seconds(60))
    }

    @Test func `Ctrl-C ends a play where it is whole`() async throws {
        let asked = Atomic(0)
        let out = TextSink()
        let code = await Invocation.run(
            ["replay", shop, "--speed", "0.0001x"],
            in: .init(
                console: Console(out: out, err: TextSink(), isTerminal: false),
                isInterrupted: { asked.add(1, ordering: .relaxed).newValue > 3 }))
        #expect(code == 130 && out.text.split(separator: "\n").count == 1)
    }

    @Test func `Keys go on, back and to the ends`() async throws {
        let keys: [Keyboard.Key] = [
            .right, .character(" "), .right, .left, .character("?"), .home, .left, .end, .pageUp, .character("q"),
        ]
        let left = Mutex(keys[...])
        let console = Console(out: TextSink(), err: TextSink(), isTerminal: true, isAddressable: true)
        let code = await Invocation.run(
            ["replay", shop, "--step"], in: .init(console: console, keys: { { left.withLock { $0.popFirst() } } }))
        #expect(code == 0 && left.withLock { $0.isEmpty })
        // The screen sends what changed: of the head line, each time another commit is shown.
        let shown = console.out.text.matches(of: #/commit (\d) of 3/#).map { String($0.1) }
        #expect(shown == ["1", "2", "3", "2", "1", "3", "1"])
        #expect(console.out.text.contains("rank: 3 → 1"))
        // The terminal is given back.
        #expect(console.out.text.hasSuffix("\u{1b}[?1049l"))
    }

    @Test func `Stepping needs a terminal`() async throws {
        let outcome = await yaprak("replay", shop, "--step")
        #expect(outcome.code == 64 && outcome.err.contains("needs a terminal"))
    }
}
