internal import SystemPackage
internal import ToolSupport
internal import YaprakModel
internal import YaprakSimulator

extension SimulationScript {
    /// How many scripts in a hundred have a ghost.
    private static let ghostPercent = 20

    /// Makes one script in five one with a ghost: a commit that nobody was promised, whose bytes are there all the same.
    ///
    /// Its sync fails, or its write fails behind its work and can't be taken back. The process is killed, so that the bytes are
    /// readable and not durable; the next launch finds the commit, goes on behind it, and loses its power. What it has shown
    /// must stay.
    mutating func addGhost() {
        // A generator of its own: scripts without a ghost are what their seeds have always given.
        var random = SplitMix64(seed: ~seed)
        guard random.chance(Self.ghostPercent) else { return }
        let place = random.below(launches.count)
        launches[place].tasks.append(Self.writes(3 + random.below(5), &random))
        launches[place].mishaps = random.chance(60) ? [Self.failingSync(&random)] : Self.writeThatStays(&random)
        launches[place].ending = .kill(afterChanges: 20 + random.below(200))
        launches[place].rottenBit = nil
        let next = Launch(
            tasks: [Self.writes(1 + random.below(4), &random)], mishaps: [],
            ending: .powerCut(afterChanges: random.below(random.chance(50) ? 12 : 60), remains: random.next()))
        launches.insert(next, at: place + 1)
    }

    /// Whether a launch that is killed has a sync that fails, or a write that fails and can't be taken back.
    package var hasGhost: Bool {
        launches.dropLast().contains { launch in
            guard case .kill = launch.ending, launch.tasks.contains(where: { !$0.isEmpty }) else { return false }
            let faults = launch.mishaps.compactMap { mishap -> FaultedCall? in
                guard case .fault(let call, _, let effect, _) = mishap else { return nil }
                if case .lie = effect { return nil }
                return call
            }
            let syncs: [FaultedCall] = [.syncData, .sync, .syncDirectory]
            let stays = faults.count { $0 == .write } > 1 && faults.contains(.truncate)
            return stays || faults.contains(where: syncs.contains)
        }
    }

    private static func failingSync(_ random: inout SplitMix64) -> Mishap {
        let call = [FaultedCall.syncData, .syncData, .syncData, .sync, .syncDirectory][random.below(5)]
        let nth = 1 + random.below(call == .syncData ? 10 : 3)
        let effect: MemoryFileSystem.FaultEffect = random.chance(80) ? .error(.ioError) : .errorAfter(.ioError)
        return .fault(call, nth: nth, effect: effect, forever: false)
    }

    /// The `nth` write does its work, or half of it, and fails; zeros over it fail, and so does cutting it off.
    private static func writeThatStays(_ random: inout SplitMix64) -> [Mishap] {
        let nth = 2 + random.below(14)
        return [
            .fault(.write, nth: nth, effect: random.chance(75) ? .errorAfter(.ioError) : .short, forever: false),
            .fault(.write, nth: nth + 1, effect: .error(.ioError), forever: true),
            .fault(.truncate, nth: 1, effect: .error(.ioError), forever: true),
        ]
    }

    private static func writes(_ count: Int, _ random: inout SplitMix64) -> [Step] {
        (0..<count).map { _ in
            .write(
                [.set(isOther: false, key: random.below(12), number: random.below(1000), bytes: random.below(60))],
                mark: nil, throwing: false)
        }
    }
}
