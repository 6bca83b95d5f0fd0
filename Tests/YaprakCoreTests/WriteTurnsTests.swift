import TestSupport
import Testing
import Yaprak

@testable import YaprakCore

/// The write queue by itself, where each writer may stop between any two of its steps: a thread that the system takes away
/// just there is too rare for a test with threads.
@Suite(.bounded) struct WriteTurnsTests {
    /// The highest that the library knows.
    private let highest = TaskPriority(rawValue: 33)

    /// Steps all writers until none is awake.
    private func finish(_ turns: SteppedTurns, _ writers: [SteppedWriter]) {
        while true {
            let awake = writers.filter(\.isAwake)
            if awake.isEmpty, turns.favored.isEmpty { return }
            for writer in awake { writer.step() }
            turns.reconsider()
        }
    }

    // The closing one took back its place, in front of it stood one that had come to the line meanwhile, and nobody was
    // offered the turn: the queue stood still until a writer of a higher priority came.
    @Test func `A turn that work behind all can no longer take goes to the one it waits for`() {
        let turns = SteppedTurns()
        let first = turns.writer(.medium, steps: 2)
        #expect(first.isAtWork)
        // Refused, and its thread is taken away before it is in line.
        let earlier = turns.writer(.low)
        let end = turns.writer(.medium, isBehindAll: true, steps: 2)
        let urgent = turns.writer(.high, steps: 2)
        #expect(!end.isAwake && !urgent.isAwake)
        first.step()
        #expect(urgent.isAwake)
        let mostUrgent = turns.writer(highest, steps: 3)
        #expect(mostUrgent.outcome == .served)
        #expect(end.isAwake, "the earlier one is in no list, and the other is later")
        urgent.step()
        #expect(urgent.isAtWork)
        end.step()
        #expect(!end.isAtWork)
        earlier.step()
        urgent.step()
        #expect(urgent.outcome == .served && !earlier.isAwake)
        end.step()
        #expect(earlier.isAwake && turns.isSound)
        finish(turns, [earlier, end])
        #expect(earlier.outcome == .served && end.outcome == .served)
        #expect(turns.queue.count == 0)
    }

    // Any cancellation offered the turn to the one behind all, and a favored one that does not run was not reconsidered then.
    @Test func `A cancellation does not offer work behind all the turn ahead of a writer of higher priority`() {
        let turns = SteppedTurns()
        let first = turns.writer(.medium, steps: 2)
        let end = turns.writer(.background, isBehindAll: true, steps: 2)
        first.step()
        #expect(end.isAwake)
        var urgent = turns.writer(.high, steps: 2)
        end.step()
        #expect(urgent.isAtWork && !end.isAtWork)
        let old = turns.writer(.background, steps: 2)
        for _ in 0..<WriteTurns.overtakingsMax {
            let next = turns.writer(.high, steps: 2)
            urgent.step()
            next.step()
            #expect(next.isAtWork)
            urgent = next
        }
        let waiting = turns.writer(.high, steps: 2)
        let other = turns.writer(.low, steps: 2)
        urgent.step()
        #expect(old.isAwake && !waiting.isAwake && turns.favored.count == 1)
        end.step()
        #expect(!end.isAwake)
        other.cancel()
        other.step()
        #expect(other.outcome == .cancelled)
        #expect(!end.isAwake && turns.isSound)
        turns.reconsider()
        #expect(waiting.isAwake)
        finish(turns, [old, waiting, end])
        #expect([old, waiting, end].allSatisfy { $0.outcome == .served })
        #expect(turns.queue.count == 0)
    }

    @Test func `One behind all that is overtaken and cancelled leaves the turn to the next behind it`() {
        let turns = SteppedTurns()
        let first = turns.writer(.medium, steps: 2)
        let closing = turns.writer(.medium, isBehindAll: true, steps: 2)
        let draining = turns.writer(.high, isBehindAll: true, steps: 2)
        first.step()
        #expect(closing.isAwake && !draining.isAwake)
        let urgent = turns.writer(.high, steps: 2)
        closing.step()
        #expect(urgent.isAtWork && !closing.isAtWork)
        urgent.step()
        #expect(!draining.isAwake, "the first is on its way back to the line")
        closing.cancel()
        closing.step()
        #expect(closing.outcome == .cancelled && draining.isAwake)
        finish(turns, [draining])
        #expect(draining.outcome == .served && turns.queue.count == 0)
    }

    /// One game: writers come, are stepped, lose their thread for a while and are cancelled, in an order that follows from a
    /// seed.
    private struct Game {
        static let priorities: [TaskPriority] = [.background, .low, .medium, .high, TaskPriority(rawValue: 33)]
        let turns = SteppedTurns(overtakingsMax: 2)
        var random: SplitMix64
        var writers: [(writer: SteppedWriter, cancelled: Bool, pausedSteps: Int)] = []
        var isSound = true
        var favoredCount = 0

        /// Plays with `count` writers until none is awake.
        mutating func play(count: Int) {
            var coming = count
            /// Those that have not ended.
            var open: [Int] = []
            while true {
                open.removeAll { writers[$0].writer.outcome != nil }
                let awake = open.filter { writers[$0].writer.isAwake }
                for index in awake where writers[index].pausedSteps > 0 { writers[index].pausedSteps -= 1 }
                let running = awake.filter { writers[$0].pausedSteps == 0 }
                switch random.below(100) {
                case let chance where coming > 0 && (chance < 30 || running.isEmpty):
                    coming -= 1
                    open.append(writers.count)
                    let priority = Self.priorities[random.below(5)]
                    let isBehindAll = random.chance(30)
                    let writer = turns.writer(
                        priority, isBehindAll: isBehindAll, ignoresCancellation: isBehindAll && random.chance(50))
                    let pausedSteps = pause()
                    writers.append((writer, cancelled: false, pausedSteps))
                case 30..<36 where !open.isEmpty:
                    let index = open[random.below(open.count)]
                    writers[index].cancelled = true
                    writers[index].writer.cancel()
                case let chance where !turns.favored.isEmpty && (36..<40 ~= chance || awake.isEmpty):
                    turns.reconsider(at: random.below(turns.favored.count))
                default:
                    if awake.isEmpty {
                        if coming == 0, turns.favored.isEmpty { return }
                        continue
                    }
                    let index =
                        running.isEmpty ? awake[random.below(awake.count)] : running[random.below(running.count)]
                    let before = turns.favored.count
                    writers[index].writer.step()
                    writers[index].pausedSteps = pause()
                    favoredCount += turns.favored.count - before
                }
                if !turns.isSound || writers.count(where: { $0.writer.isAtWork }) > 1 { isSound = false }
            }
        }

        /// For how many steps of others one has no thread.
        private mutating func pause() -> Int { random.chance(30) ? [3, 10, 20][random.below(3)] : 0 }
    }

    @Test func `Whatever the order of their steps, a free turn is offered, and everybody has one or is cancelled`() {
        var favoredCount = 0
        for seed in 1...400 as ClosedRange<UInt64> {
            var game = Game(random: SplitMix64(seed: seed))
            game.play(count: 40)
            #expect(game.isSound, "seed \(seed)")
            #expect(game.writers.allSatisfy { $0.writer.outcome == .served || $0.cancelled }, "seed \(seed)")
            #expect(game.writers.allSatisfy { $0.writer.outcome != nil }, "seed \(seed)")
            #expect(game.turns.queue.count == 0, "seed \(seed)")
            favoredCount += game.favoredCount
        }
        #expect(favoredCount > 0)
    }
}
