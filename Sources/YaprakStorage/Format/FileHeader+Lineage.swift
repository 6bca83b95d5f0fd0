extension FileHeader {
    /// The databases whose files may be in the same directory.
    var lineage: Lineage {
        Lineage(id: databaseID, ancestors: ancestors, isSalvaged: compatible & Features.salvaged != 0)
    }

    /// A header with the database's lineage.
    init(
        kind: FileKind, lineage: Lineage, epoch: UInt64, first: UInt64, previousFirst: UInt64 = 0,
        previousEpoch: UInt64 = 0, previousEnd: UInt64 = 0, previousChain: UInt64 = 0, attested: UInt64, salt: UInt64,
        padShift: UInt8, maxStored: UInt32, maxRaw: UInt32, createdNs: Int64
    ) {
        self.init(
            kind: kind, incompatible: lineage.ancestors.isEmpty ? 0 : Features.forked,
            compatible: lineage.isSalvaged ? Features.salvaged : 0, databaseID: lineage.id, epoch: epoch, first: first,
            previousFirst: previousFirst, previousEpoch: previousEpoch, previousEnd: previousEnd,
            previousChain: previousChain, attested: attested, salt: salt, padShift: padShift, maxStored: maxStored,
            maxRaw: maxRaw, createdNs: createdNs, ancestors: lineage.ancestors)
    }
}

extension Lineage {
    /// Whether a file with this header belongs to the directory.
    func accepts(_ header: FileHeader) -> Bool {
        header.databaseID == id
            || ancestors.contains { $0.id == header.databaseID && header.first <= $0.through }
    }

    /// The last commit of the directory that a file with this header may hold. What it has behind that, its database has made
    /// since the fork.
    func lastShared(with header: FileHeader) -> UInt64 {
        if header.databaseID == id { return .max }
        return ancestors.filter { $0.id == header.databaseID }.map(\.through).max() ?? 0
    }
}
