internal import ToolSupport

extension SimulatedDisk {
    /// The disk after a power cut: the durable content, and of the changes since then what the choice keeps.
    func crashed(keeping writes: MemoryFileSystem.KeptWrites, names: MemoryFileSystem.KeptNames) -> SimulatedDisk {
        var after = SimulatedDisk()
        after.nextNode = nextNode
        after.files = files.mapValues { FileNode(durable: $0.durable, current: []) }
        after.directories = directories.mapValues { DirectoryNode(durable: $0.durable, current: [:]) }
        after.keep(pendingWrites, writes)
        after.keep(pendingNames, names)
        after.files = after.files.mapValues { FileNode(durable: $0.durable, current: $0.durable) }
        after.directories = after.directories.mapValues { DirectoryNode(durable: $0.durable, current: $0.durable) }
        return after
    }

    private mutating func keep(_ pending: [PendingWrite], _ choice: MemoryFileSystem.KeptWrites) {
        switch choice {
        case .none:
            break
        case .all:
            for write in pending { files[write.node]?.durable.apply(write) }
        case .prefix(let count):
            guard let last = pending.lastIndex(where: { $0.length == nil }) else { return }
            for write in pending[..<last] { files[write.node]?.durable.apply(write) }
            let torn = pending[last]
            files[torn.node]?.durable.overwrite(Array(torn.bytes.prefix(count)), at: torn.offset)
        case .sectors(let mask):
            var index = 0
            for write in pending {
                guard write.length == nil else {
                    files[write.node]?.durable.apply(write)
                    continue
                }
                for piece in write.sectors {
                    if index < 64, mask >> UInt64(index) & 1 == 1 { files[write.node]?.durable.apply(piece) }
                    index += 1
                }
            }
        case .random(let seed):
            keepRandomly(pending, seed: seed)
        }
    }

    private mutating func keepRandomly(_ pending: [PendingWrite], seed: UInt64) {
        var state = seed
        func coin() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        for write in pending {
            if let length = write.length {
                if coin() & 1 == 0 { files[write.node]?.durable.setLength(length) }
                continue
            }
            for piece in write.sectors {
                let isBehindEnd = piece.offset >= files[write.node]?.durable.count ?? 0
                if coin() & 1 == 0 {
                    files[write.node]?.durable.apply(piece)
                } else if isBehindEnd, coin() & 1 == 0 {
                    let garbage = piece.bytes.map { _ in UInt8(truncatingIfNeeded: coin()) }
                    files[write.node]?.durable.overwrite(garbage, at: piece.offset)
                }
            }
        }
    }

    private mutating func keep(_ pending: [PendingName], _ choice: MemoryFileSystem.KeptNames) {
        var coins: SplitMix64?
        if case .random(let seed) = choice { coins = SplitMix64(seed: seed) }
        for (index, change) in pending.enumerated() {
            switch choice {
            case .none: continue
            case .all: break
            case .random: if coins?.chance(50) == false { continue }
            case .subset(let mask): if index < 64, mask >> UInt64(index) & 1 == 0 { continue }
            }
            for name in change.removed { directories[change.directory]?.durable[name] = nil }
            for (name, node) in change.set { directories[change.directory]?.durable[name] = node }
        }
    }
}

extension SimulatedDisk.PendingWrite {
    /// The write cut at the borders of sectors.
    var sectors: [SimulatedDisk.PendingWrite] {
        var pieces: [SimulatedDisk.PendingWrite] = []
        var at = 0
        while at < bytes.count {
            let room = SimulatedDisk.sectorBytes - (offset + at) % SimulatedDisk.sectorBytes
            let end = min(bytes.count, at + room)
            pieces.append(.init(node: node, offset: offset + at, bytes: Array(bytes[at..<end]), length: nil))
            at = end
        }
        return pieces
    }
}
