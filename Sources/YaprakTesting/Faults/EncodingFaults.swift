internal import YaprakLocks

/// Records that are to fail when they are encoded: what a ``SimulatedDisk`` plans, and the databases on it ask.
final class EncodingFaults: Sendable {
    private struct Planned {
        var collection: String?
        var key: String?
        var countdown: Int
        var forever: Bool
    }

    private struct Failure: Error {}

    private let planned = Mutex<[Planned]>([])

    /// Lets the `nth` value that fits fail, and those after it if `forever` is true.
    func plan(in collection: String?, key: String?, nth: Int, forever: Bool) {
        planned.withLock {
            $0.append(Planned(collection: collection, key: key, countdown: max(1, nth), forever: forever))
        }
    }

    /// Takes back all that was planned.
    func heal() { planned.withLock { $0 = [] } }

    /// Why a record does not encode; `nil` if it does. Each value is asked about once in a write, and once in a checkpoint.
    func fault(of collection: String, _ key: String) -> (any Error)? {
        planned.withLock { planned -> (any Error)? in
            var fails = false
            for index in planned.indices {
                let fault = planned[index]
                guard fault.collection ?? collection == collection, fault.key ?? key == key else { continue }
                guard fault.countdown > 0 || fault.forever else { continue }
                planned[index].countdown -= 1
                if planned[index].countdown <= 0 { fails = true }
            }
            return fails ? Failure() : nil
        }
    }
}
