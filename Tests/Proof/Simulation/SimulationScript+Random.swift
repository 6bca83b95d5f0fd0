internal import SystemPackage
internal import ToolSupport
internal import YaprakModel
internal import YaprakSimulator

extension SimulationScript {
    /// The script of a seed.
    package init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let durabilities: [Durability] = [.always, .always, .always, .relaxed, .interval(.milliseconds(5))]
        let retentions: [Retention] = [.all, .checkpoints(2), .checkpoints(3), .commits(4)]
        self.seed = seed
        durability = durabilities[random.below(durabilities.count)]
        retention = retentions[random.below(retentions.count)]
        segmentBytes = [4600, 6000, 12_000][random.below(3)]
        preallocationBytes = [0, 2048, 8192][random.below(3)]
        attestsAtOnce = random.chance(50)
        renamesInTwoSteps = random.chance(30)
        // Half of the histories have a disk that obeys; in the others it is at fault once in a while.
        let isFaulty = random.chance(50)
        launches = []
        for _ in 0...random.below(4) { launches.append(Self.launch(&random, isFaulty: isFaulty)) }
        addGhost()
    }

    private static func launch(_ random: inout SplitMix64, isFaulty: Bool) -> Launch {
        var launch = Launch(tasks: [], mishaps: [], ending: .close)
        for _ in 0...random.below(4) {
            var steps: [Step] = []
            for _ in 0..<random.below(8) { steps.append(step(&random)) }
            launch.tasks.append(steps)
        }
        if isFaulty, random.chance(50) { for _ in 0...random.below(2) { launch.mishaps.append(mishap(&random)) } }
        switch random.below(5) {
        case 0, 1: launch.ending = .close
        case 2: launch.ending = .kill(afterChanges: random.below(random.chance(30) ? 12 : 150))
        default:
            launch.ending = .powerCut(
                afterChanges: random.below(random.chance(30) ? 12 : 150), remains: random.next())
        }
        if isFaulty, random.chance(10) { launch.rottenBit = random.below(1 << 30) }
        return launch
    }

    private static func step(_ random: inout SplitMix64) -> Step {
        switch random.below(100) {
        case 0..<62:
            return .write(edits(&random), mark: random.chance(20) ? random.below(6) : nil, throwing: random.chance(6))
        case 62..<72: return .checkpoint
        case 72..<78: return .flush
        case 78..<84: return .hold
        case 84..<87: return .unregister
        case 87..<90: return .register
        case 90..<93: return .fork(edits(&random))
        case 93..<95: return .backup(random.below(3))
        default: return .follow(1 + random.below(5))
        }
    }

    private static func edits(_ random: inout SplitMix64) -> [Edit] {
        (0...random.below(4)).map { _ in
            let isOther = random.chance(30)
            switch random.below(50) {
            case 0: return .removeAll(isOther: isOther)
            case 1..<12: return .remove(isOther: isOther, key: random.below(12))
            default:
                let bytes = random.chance(5) ? random.below(3000) : random.below(60)
                return .set(isOther: isOther, key: random.below(12), number: random.below(1000), bytes: bytes)
            }
        }
    }

    private static func mishap(_ random: inout SplitMix64) -> Mishap {
        if random.chance(25) { return .space(random.below(random.chance(50) ? 2000 : 20_000)) }
        let errnos: [Errno] = [
            .ioError, .noSpace, .diskQuotaExceeded, .fileTooLarge, .tooManyOpenFiles, .permissionDenied,
            .readOnlyFileSystem, .interrupted, .noMemory,
        ]
        let errno = errnos[random.below(errnos.count)]
        let calls = FaultedCall.allCases
        let call: FaultedCall =
            random.chance(50)
            ? [.write, .syncData, .sync, .rename, .syncDirectory][random.below(5)]
            : calls[random.below(calls.count)]
        let nth = 1 + random.below(random.chance(50) ? 6 : 40)
        switch random.below(10) {
        case 0..<6:
            return .fault(call, nth: nth, effect: .error(errno), forever: errno != .interrupted && random.chance(25))
        case 6..<8: return .fault(call, nth: nth, effect: .errorAfter(errno), forever: false)
        case 8: return .fault(.write, nth: nth, effect: .short, forever: false)
        default:
            let syncs: [FaultedCall] = [.syncData, .sync, .syncDirectory]
            return .fault(syncs[random.below(3)], nth: nth, effect: .lie, forever: random.chance(50))
        }
    }
}
