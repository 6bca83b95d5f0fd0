package import SystemPackage
internal import YaprakLocks
package import YaprakStorage

/// A simulated disk: what is durable and what is not are two things, any call can fail, the power can go at any call.
///
///     let disk = MemoryFileSystem()
///     disk.fail(.syncData, nth: 3, errno: .ioError)
///     disk.cut(afterChanges: 17)
///     …
///     let after = disk.crashed(keeping: .prefix(100), names: .all)
package final class MemoryFileSystem: FileSystem {
    let disk: Mutex<SimulatedDisk>
    private struct Hooks: Sendable {
        var observe: (@Sendable (Bool) -> Void)?
        var delay: (@Sendable () -> Void)?
    }

    private let hooks = Mutex(Hooks())

    /// An empty disk.
    package convenience init() { self.init(SimulatedDisk()) }

    init(_ disk: consuming sending SimulatedDisk) { self.disk = Mutex(disk) }

    package func openDirectory(_ path: FilePath) throws(DiskError) -> any Directory {
        let result = disk.withLock { disk in
            Result { () throws(DiskError) in
                try disk.begin(.openDirectory, path.string, changes: false)
                var node = SimulatedDisk.root
                for component in path.components where component.kind == .regular {
                    node = try disk.directory(component.string, in: node, .openDirectory)
                }
                return node
            }
        }
        return MemoryDirectory(self, try result.get())
    }

    /// How many calls changed the disk so far; the places where `cut` can cut.
    package var changes: Int { disk.withLock { $0.changes } }

    /// How many calls of a kind there were so far, failed ones included.
    package func calls(_ operation: DiskError.Operation) -> Int { disk.withLock { $0.calls[operation] ?? 0 } }

    /// What a fault does to a call.
    package enum FaultEffect: Sendable {
        /// It fails and does nothing.
        case error(Errno)
        /// It does its work, and reports an error.
        case errorAfter(Errno)
        /// A write writes only half of what it is asked to.
        case short
        /// A sync does nothing, and reports success.
        case lie
    }

    /// Lets the `nth` call from now on of a kind (nil: of any) fail, once or from then on.
    package func fail(_ operation: DiskError.Operation?, nth: Int, errno: Errno, forever: Bool = false) {
        plan(operation, nth: nth, .error(errno), forever: forever)
    }

    /// Lets a fault come up at the `nth` call from now on of a kind (nil: of any), once or from then on.
    package func plan(_ operation: DiskError.Operation?, nth: Int, _ effect: FaultEffect, forever: Bool = false) {
        disk.withLock {
            $0.faults.append(.init(operation: operation, countdown: max(1, nth), effect: effect, forever: forever))
        }
    }

    /// Lets the `nth` write from now on write only half of what it is asked to.
    package func shortenWrite(nth: Int) { plan(.write, nth: nth, .short) }

    /// How many bytes all files together may have; nil for any number.
    package func setCapacity(_ bytes: Int?) { disk.withLock { $0.capacity = bytes } }

    /// How many bytes all files together have.
    package var usedBytes: Int {
        disk.withLock { disk in
            Set(disk.directories.values.flatMap(\.current.values)).reduce(0) {
                $0 + (disk.files[$1]?.current.count ?? 0)
            }
        }
    }

    /// Makes a rename a hard link and a removal, and the power may go in between.
    package func setRenamesInTwoSteps(_ isOn: Bool) { disk.withLock { $0.renamesInTwoSteps = isOn } }

    /// How many calls of a kind a fault or the lack of space let fail.
    package func failures(_ operation: DiskError.Operation) -> Int { disk.withLock { $0.failures[operation] ?? 0 } }

    /// How many syncs did nothing and reported success.
    package var lies: Int { disk.withLock { $0.lies } }

    /// A digest of all calls so far, with their names and bytes, in order.
    package var digest: UInt64 { disk.withLock { $0.digest } }

    /// Calls `body` before each call, with whether it may change the disk; no lock is held.
    package func observe(_ body: (@Sendable (Bool) -> Void)?) { hooks.withLock { $0.observe = body } }

    /// Calls `body` before each write and each sync: it takes as long as they shall take. No lock is held.
    package func delayCalls(_ body: (@Sendable () -> Void)?) { hooks.withLock { $0.delay = body } }

    func beforeCall(_ operation: DiskError.Operation, _ changes: Bool) {
        let hooks = hooks.withLock { $0 }
        hooks.observe?(changes)
        if [.write, .sync, .syncData, .syncDirectory].contains(operation) { hooks.delay?() }
    }

    /// Forgets every planned failure, and the end of the power if it did not come.
    package func healFaults() {
        disk.withLock { disk in
            disk.faults.removeAll()
            disk.cutAfter = nil
        }
    }

    /// Whether every planned failure has come up.
    package var faultsAreSpent: Bool { disk.withLock { disk in disk.faults.allSatisfy { $0.isSpent } } }

    /// Switches the power off after so many changes, counted from the start: each later call fails and does nothing.
    package func cut(afterChanges count: Int) { disk.withLock { $0.cutAfter = count } }

    /// The same, if it does not go off before.
    package func cut(noLaterThan count: Int) { disk.withLock { $0.cutAfter = min($0.cutAfter ?? .max, count) } }

    /// All files together get no more bytes than these, or than before.
    package func lowerCapacity(to bytes: Int) { disk.withLock { $0.capacity = min($0.capacity ?? .max, bytes) } }

    /// Whether the power went off.
    package var isCut: Bool { disk.withLock { $0.isCut } }

    /// Bytes of the un-synced writes, oldest first.
    package var pendingWriteSizes: [Int] { disk.withLock { $0.pendingWrites.map(\.count) } }

    /// How many changes of names are not durable.
    package var pendingNameCount: Int { disk.withLock { $0.pendingNames.count } }

    /// Which un-synced writes a crash leaves on the disk.
    package enum KeptWrites: Sendable {
        case none
        case all
        /// All but the newest, and so many bytes of that.
        case prefix(Int)
        /// Of all 512-byte sectors touched by un-synced writes those whose bit is set, in the order of the writes.
        case sectors(UInt64)
        /// A coin for each sector; what isn't kept of grown files is garbage.
        case random(seed: UInt64)
    }

    /// Which un-synced changes of names a crash leaves on the disk.
    package enum KeptNames: Sendable {
        case none
        case all
        /// Those whose bit is set, in order.
        case subset(UInt64)
        /// A coin for each.
        case random(seed: UInt64)
    }

    /// The disk as another program finds it after the power came back.
    package func crashed(keeping writes: KeptWrites, names: KeptNames) -> MemoryFileSystem {
        MemoryFileSystem(disk.withLock { $0.crashed(keeping: writes, names: names) })
    }

    /// The disk as another program finds it when this one was killed and the power stayed on: un-synced changes are
    /// readable, and still not durable.
    package func afterKill() -> MemoryFileSystem {
        var copy = disk.withLock { $0 }
        copy.locks = []
        copy.faults = []
        copy.cutAfter = nil
        copy.isCut = false
        copy.capacity = nil
        return MemoryFileSystem(copy)
    }

    /// A copy as it is, everything readable and durable.
    package func copy() -> MemoryFileSystem { crashed(keeping: .all, names: .all) }

    /// The content of a file, by path from the root.
    package func contents(_ path: FilePath) -> [UInt8]? { disk.withLock { $0.contents(path) } }

    /// Puts a file there, durably, or changes it; its directories exist.
    package func setContents(_ path: FilePath, _ bytes: [UInt8]) { disk.withLock { $0.setContents(path, bytes) } }

    /// Removes a file, durably.
    package func remove(_ path: FilePath) { disk.withLock { $0.remove(path) } }

    /// The names in a directory, sorted.
    package func names(_ path: FilePath) -> [String] { disk.withLock { $0.names(path) } }
}
