internal import SystemPackage
internal import YaprakModel
internal import YaprakSimulator

extension SimulationScript {
    /// Two launches that write and close, and a backup in the first: what tests of the simulation plant faults in.
    ///
    /// - Parameter failingWrites: which writes to the disk fail in the first launch; the seventh is that of the third commit.
    package static func plain(failingWrites: [Int] = []) -> SimulationScript {
        func write(_ number: Int) -> Step {
            .write([.set(isOther: false, key: 1, number: number, bytes: 20)], mark: nil, throwing: false)
        }
        var script = SimulationScript(seed: 1)
        script.durability = .always
        script.retention = .all
        script.segmentBytes = 12_000
        script.preallocationBytes = 2048
        script.attestsAtOnce = false
        script.renamesInTwoSteps = false
        let faults = failingWrites.map { Mishap.fault(.write, nth: $0, effect: .error(.ioError), forever: false) }
        script.launches = [
            Launch(
                tasks: [[write(1), write(2), .backup(0), write(3), write(4), write(5)]], mishaps: faults, ending: .close
            ),
            Launch(tasks: [[write(6)]], mishaps: [], ending: .close),
        ]
        return script
    }
}
