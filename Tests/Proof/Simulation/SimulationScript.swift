internal import SystemPackage
package import YaprakModel
package import YaprakSimulator
internal import YaprakStorage

/// What happens in a simulated history, step by step: written by a generator from a seed, shortened when it fails, printed.
package struct SimulationScript: Sendable, CustomStringConvertible {
    /// A change to one record, or to a collection.
    package enum Edit: Sendable {
        case set(isOther: Bool, key: Int, number: Int, bytes: Int)
        case remove(isOther: Bool, key: Int)
        case removeAll(isOther: Bool)
    }

    /// What a task does.
    package enum Step: Sendable {
        case write([Edit], mark: Int?, throwing: Bool)
        case checkpoint
        case flush
        /// Holds the newest snapshot until the task ends, and compares it again then.
        case hold
        case unregister
        case register
        case fork([Edit])
        case backup(Int)
        /// Follows so many commits.
        case follow(Int)
    }

    /// Something that goes wrong with the disk.
    package enum Mishap: Sendable {
        case fault(FaultedCall, nth: Int, effect: MemoryFileSystem.FaultEffect, forever: Bool)
        /// So many bytes are left.
        case space(Int)
    }

    /// The calls that a fault is planned for, by the names of `DiskError.Operation`.
    package enum FaultedCall: String, Sendable, CaseIterable {
        case openDirectory, makeDirectory, open, list, rename, link, unlink, syncDirectory, lock
        case size, read, write, syncData, sync, allocate, truncate, close
    }

    /// How a launch ends.
    package enum Ending: Sendable {
        case close
        /// The process is killed, at a change of the disk.
        case kill(afterChanges: Int)
        /// The power goes, at a change of the disk; the seed picks what is left.
        case powerCut(afterChanges: Int, remains: UInt64)
    }

    /// From opening to the end.
    package struct Launch: Sendable {
        package var tasks: [[Step]]
        package var mishaps: [Mishap]
        package var ending: Ending
        /// A bit of the files that changes after the end, by a number that is taken modulo their size.
        package var rottenBit: Int?
    }

    package var seed: UInt64
    package var durability: Durability
    package var retention: Retention
    package var segmentBytes: Int
    package var preallocationBytes: Int
    package var attestsAtOnce: Bool
    package var renamesInTwoSteps: Bool
    package var launches: [Launch]

    /// How many steps there are.
    package var count: Int {
        launches.reduce(0) { $0 + 1 + $1.mishaps.count + $1.tasks.reduce(0) { $0 + $1.count } }
    }

    package var description: String {
        var lines = [
            "seed \(seed), \(durability), \(retention), segments \(segmentBytes), reserve \(preallocationBytes)"
                + (attestsAtOnce ? ", attests at once" : "") + (renamesInTwoSteps ? ", renames in two steps" : "")
        ]
        for (index, launch) in launches.enumerated() {
            lines.append("launch \(index):")
            lines += launch.mishaps.map { "  disk: \($0)" }
            for (task, steps) in launch.tasks.enumerated() { lines += steps.map { "  task \(task): \($0)" } }
            lines.append("  end: \(launch.ending)" + (launch.rottenBit.map { ", bit \($0) rots" } ?? ""))
        }
        return lines.joined(separator: "\n")
    }
}
