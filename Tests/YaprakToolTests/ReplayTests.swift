import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakLocks
import YaprakReplay

@testable import YaprakTool

/// Commits at their pace, and by keys.
@Suite(.bounded, .serialized) struct ReplayTests {
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

    /// What the screen was sent while these keys were pressed; `nil` is a wait without one.
    private func step(_ keys: [Keyboard.Key?], _ options: String...) async -> (code: Int32, text: String) {
        let left = Mutex(keys[...])
        let console = Console(out: TextSink(), err: TextSink(), isTerminal: true, isAddressable: true)
        let code = await Invocation.run(
            ["replay", shop, "--step"] + options,
            in: .init(
                console: console,
                keys: {
                    { milliseconds in
                        let next = left.withLock { $0.popFirst() }
                        guard case .some(.none) = next else { return next.map { .key($0!) } ?? .end }
                        usleep(UInt32(min(milliseconds, 12)) * 1000)
                        return .timeout
                    }
                }))
        #expect(left.withLock { $0.isEmpty })
        return (code, console.out.text)
    }

    /// The commits in the order in which they came to the screen, which sends only what changed.
    private func shown(_ text: String) -> [String] { text.matches(of: #/commit (\d) of 3/#).map { String($0.1) } }

    @Test func `Keys go on, back and to the ends`() async throws {
        let (code, text) = await step([
            .right, .character("n"), .right, .left, .character("?"), .home, .left, .end, .pageUp, .character("q"),
        ])
        #expect(code == 0)
        #expect(shown(text) == ["1", "2", "3", "2", "1", "3", "1"])
        #expect(text.contains("rank: 3 → 1"))
        // The terminal is given back.
        #expect(text.hasSuffix("\u{1b}[?1049l"))
    }

    // Ctrl-C is a key like any other there: it was read when the last commit had been reached.
    @Test func `What quits is heard on the way to a far commit, and other keys wait`() async throws {
        let database = try await Database.open(at: FilePath(shop), collections: .shopBooks)
        for rank in 11...50 { try await database.write { $0[.shopBooks]["abc"]?.rank = rank } }
        try await database.close()
        func shown(_ text: String) -> [String] { text.matches(of: #/commit (\d+) of 43/#).map { String($0.1) } }
        for quit in [.interrupt, .escape, .character("q")] as [Keyboard.Key] {
            let (code, text) = await step([.end, quit])
            #expect(code == 0 && shown(text) == ["1"], "\(quit)")
        }
        let (code, text) = await step([.end, .left, .left, nil, nil, nil, .character("q")])
        #expect(code == 0 && shown(text) == ["1", "43", "42", "41"])
        // What was pressed before is about a commit that is not reached; a position that is typed ahead may have any letter.
        for keys in [[.end, .right, .interrupt], [.end, .character(":"), .interrupt]] as [[Keyboard.Key?]] {
            let (code, text) = await step(keys)
            #expect(code == 0 && shown(text) == ["1"] && !text.contains("go to:"), "\(keys)")
        }
        let (_, typed) = await step([.character(":"), .character("@"), .character("\n"), .interrupt])
        #expect(shown(typed) == ["1"])
        // One that was typed to its end, or given up, is over.
        for over in [[.character(":"), .escape], [.character("5"), .character("\n")]] as [[Keyboard.Key]] {
            for quit in [.escape, .character("q")] as [Keyboard.Key] {
                let (code, text) = await step([.end] + over + [quit])
                #expect(code == 0 && shown(text) == ["1"] && !text.contains("go to:"), "\(over), \(quit)")
            }
        }
    }

    @Test func `A colon or a digit goes to a commit, and a wrong one says why`() async throws {
        let (_, text) = await step([
            .character(":"), .character("@"), .character("\n"), .character("2"), .character("\n"),
            .character(":"), .character("7"), .character("\n"), nil, .character(":"), .character("x"), .backspace,
            .escape,
            .character("q"),
        ])
        #expect(shown(text) == ["1", "3", "2"])
        #expect(text.contains("go to: @") && text.contains("There is no commit 7"))
    }

    @Test func `Space plays to the last commit and stops there`() async throws {
        let waits: [Keyboard.Key?] = Array(repeating: nil, count: 30)
        let (code, text) = await step([.character(" ")] + waits + [.character("q")], "--speed", "100x")
        #expect(code == 0 && shown(text) == ["1", "2", "3"])
        let (_, halted) = await step(
            [.character(" "), .character(" ")] + waits.prefix(4) + [.escape], "--speed", "100x")
        #expect(shown(halted) == ["1"])
    }

    @Test func `What is longer than the screen is scrolled, not cut`() async throws {
        let lines = (1...60).map { "{\"id\":\"key-\($0)\"}" }.joined(separator: "\n")
        let file = try folder.write(lines, to: "many.ndjson")
        #expect(await yaprak("load", file, shop, "--collection", "many", "--key", "id").code == 0)
        let down: [Keyboard.Key?] = Array(repeating: .down, count: 300)
        let (_, text) = await step([.end] + down + [.character("q")])
        // A terminal that has no size has 24 rows.
        #expect(text.contains("key-1") && text.contains("key-60") && text.contains("of 121"))
    }

    @Test func `Of very many fields of a record the first are printed, and the others are counted`() throws {
        for (count, rest) in [
            (3, []), (4, ["… and 1 more field"]), (20, ["… and 17 more fields"]),
        ] as [(Int, [String])] {
            func record(_ item: CBORValue) throws -> ReplayRecord {
                let object = try CBORValue.array(Array(repeating: item, count: count)).encoded()
                return ReplayRecord(RawRecord(key: "a", object: object[...], metadata: nil, version: 1))
            }
            let change = ShownChange(
                collection: "lists", key: "a", kinds: .objectChanged, before: try record(0), after: try record(1))
            let console = Console(out: TextSink(), err: TextSink())
            // A line of them has twelve bytes; the third begins within the bound.
            try PatchPrinter(console: console, fieldBytesMax: 24).writeFields(of: change, indent: "")
            let lines = ["[0]: 0 → 1", "[1]: 0 → 1", "[2]: 0 → 1"] + rest
            #expect(console.out.text == lines.map { $0 + "\n" }.joined())
        }
    }

    /// How long things took, by what was done between two looks at the keyboard.
    private struct Times {
        var looks = 0
        var last = ContinuousClock.now
        /// To go to the large commit.
        var going: [Duration] = []
        /// To do nothing.
        var waiting: [Duration] = []

        /// Goes to the last commit three times, and then waits for long.
        mutating func next() -> Keyboard.Event {
            let took = ContinuousClock.now - last
            defer {
                looks += 1
                last = .now
            }
            switch looks {
            case 0, 2, 4: return .key(.end)
            case 1, 3:
                going.append(took)
                return .key(.home)
            case 5:
                going.append(took)
                return .timeout
            case 6..<106:
                waiting.append(took)
                return .timeout
            default: return .end
            }
        }
    }

    // The whole commit was formatted at each look at the keyboard: each took as long as to go there.
    @Test func `A large commit is formatted once, however long nobody presses a key`() async throws {
        let lines = (1...5000).map { "{\"id\":\"key-\($0)\",\"text\":\"some words\"}" }.joined(separator: "\n")
        let file = try folder.write(lines, to: "large.ndjson")
        let load = await yaprak("load", file, shop, "--collection", "large", "--key", "id", "--batch", "5000")
        #expect(load.code == 0)
        let times = Mutex(Times())
        let console = Console(out: TextSink(), err: TextSink(), isTerminal: true, isAddressable: true)
        let code = await Invocation.run(
            ["replay", shop, "--step"],
            in: .init(console: console, keys: { { _ in times.withLock { $0.next() } } }))
        #expect(code == 0 && console.out.text.contains("of 15001"))
        let going = try #require(times.withLock { $0.going.min() })
        let waiting = times.withLock { $0.waiting.sorted() }
        try #require(waiting.count == 100)
        #expect(waiting[50] * 10 < going)
    }

    @Test func `Stepping needs a terminal`() async throws {
        let outcome = await yaprak("replay", shop, "--step")
        #expect(outcome.code == 64 && outcome.err.contains("needs a terminal"))
    }
}
