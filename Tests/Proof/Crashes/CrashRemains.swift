package import YaprakSimulator

/// What a power cut leaves: of un-synced writes and of un-synced names.
package struct CrashRemains: Sendable, CustomStringConvertible {
    package let writes: MemoryFileSystem.KeptWrites
    package let names: MemoryFileSystem.KeptNames

    package var description: String { "kept writes: \(writes), names: \(names)" }

    /// Nothing, everything, and each without the other.
    package static func plain(_ disk: MemoryFileSystem) -> [CrashRemains] {
        if disk.pendingWriteSizes.isEmpty, disk.pendingNameCount == 0 { return [.init(writes: .none, names: .none)] }
        return [
            .init(writes: .none, names: .none), .init(writes: .all, names: .all), .init(writes: .all, names: .none),
            .init(writes: .none, names: .all),
        ]
    }

    /// Also every subset of few names, every torn prefix of the last write, every subset of few sectors, and some at random.
    package static func all(_ disk: MemoryFileSystem, seed: UInt64, prefixStep: Int = 1) -> [CrashRemains] {
        var remains = plain(disk)
        let names = disk.pendingNameCount
        if names > 1 {
            for mask in UInt64(1)..<UInt64(1) << UInt64(min(names, 5)) {
                remains.append(.init(writes: .all, names: .subset(mask)))
            }
        }
        let sizes = disk.pendingWriteSizes
        guard let last = sizes.last(where: { $0 > 0 }) else { return remains }
        for bytes in stride(from: 0, to: last, by: prefixStep) {
            remains.append(.init(writes: .prefix(bytes), names: .all))
        }
        let sectors = sizes.reduce(0) { $0 + ($1 + 511) / 512 }
        if sectors <= 6 {
            for mask in UInt64(0)..<UInt64(1) << UInt64(sectors) {
                remains.append(.init(writes: .sectors(mask), names: .all))
            }
        }
        for index in 0..<UInt64(8) {
            remains.append(.init(writes: .random(seed: seed &* 1000 &+ index), names: index % 2 == 0 ? .all : .none))
        }
        return remains
    }
}
