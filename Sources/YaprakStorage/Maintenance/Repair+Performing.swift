package import SystemPackage
package import YaprakModel

// Writes what was planned.
extension Repair {
    /// Writes the new directory. When it returns, the directory is complete and durable; if it throws, there is none, unless
    /// the sync of its name alone failed: then it is complete, and the error says so.
    ///
    /// - Parameter placeholder: makes the commit that replaces a lost one; gets the last commit before it.
    /// - Throws: `alreadyOpen` (the source is in use), `alreadyExists`, `notFound`, `diskFull`, `writeFailed`, `syncFailed`.
    package func perform(
        to path: FilePath, tags: [UInt8] = [], storeOptions: StoreOptions = StoreOptions(),
        fileSystem: any FileSystem = PosixFileSystem(),
        placeholder: (CommitNumber, _ previous: [UInt8]?) -> [UInt8]
    ) throws(DatabaseError) {
        try translatingDiskErrors(writing: true) {
            let lock = try takeLock()
            defer { lock?.release() }
            let new = try NewDirectory(path, random: storeOptions.random(), fileSystem)
            do {
                let id = DatabaseID(high: storeOptions.random(), low: storeOptions.random())
                var own = lineage.fork(at: plan.last.rawValue, id: id)
                own.ancestors = Array(own.ancestors.prefix(FormatLimits.ancestorsMax))
                own.isSalvaged = own.isSalvaged || plan.isSalvaged || beginsEmpty
                for (name, isDamaged) in names {
                    try copy(name, isDamaged, into: new.checkpoints, own, storeOptions)
                }
                if beginsEmpty, plan.first > 0 { try writeEmptyState(new.checkpoints, own, storeOptions) }
                try writeLog(new.segments, own, storeOptions, placeholder)
                try new.write(tags: tags)
                try new.finish()
            } catch {
                new.cancel()
                throw error
            }
        }
    }

    /// Keeps programs from writing to the source meanwhile; nil on a read-only medium.
    private func takeLock() throws -> (any FileLock)? {
        do {
            if let lock = try store.directory.root.lock(Layout.lockName) { return lock }
        } catch {
            guard error.errno == .readOnlyFileSystem else { throw error }
            return nil
        }
        throw DatabaseError(.alreadyOpen, "The database is open elsewhere. Close it there first.")
    }

    private func copy(
        _ name: FileName, _ isDamaged: Bool, into target: any Directory, _ own: Lineage, _ storeOptions: StoreOptions
    ) throws {
        guard isDamaged || options.dropsDerived else {
            var copy = FileCopy(
                report: ForkReport(number: plan.last, databaseID: own.id), sharing: false)
            try copy.take(name.string(.checkpoint), from: store.directory.checkpoints, to: target)
            return
        }
        let reader = try CheckpointProof.prove(
            name, in: store.directory.checkpoints, of: lineage, allowing: .derived)
        let writer = try checkpointWriter(name, target, own, storeOptions, createdNs: reader.createdNs)
        for section in reader.sections where section.kind != Layout.derivedSectionKind || !options.dropsDerived {
            try writer.beginSection(kind: section.kind, name: section.name, info: section.info, asOf: section.asOf)
            try reader.forEachChunk(of: section) { try writer.append($0) }
            try writer.endSection(count: section.count, digest: section.digest)
        }
        try writer.finish()
    }

    private func writeEmptyState(_ target: any Directory, _ own: Lineage, _ storeOptions: StoreOptions) throws {
        let name = FileName(first: plan.first.rawValue, epoch: epoch)
        try checkpointWriter(name, target, own, storeOptions, createdNs: storeOptions.now()).finish()
    }

    private func checkpointWriter(
        _ name: FileName, _ target: any Directory, _ own: Lineage, _ storeOptions: StoreOptions, createdNs: Int64
    ) throws -> CheckpointWriter {
        let header = FileHeader(
            kind: .checkpoint, lineage: own, epoch: name.epoch, first: name.first, attested: name.first,
            salt: storeOptions.random(), padShift: 3, maxStored: FormatLimits.frameStoredMax,
            maxRaw: FormatLimits.frameRawMax,
            createdNs: createdNs)
        return try CheckpointWriter(
            .init(
                directory: target, name: name, header: header, options: storeOptions, completed: { _ in },
                cancelled: {}))
    }

    /// Writes the commits after the first state again, in groups. Where commits are missing, a segment begins whose header
    /// says so; in a salvage empty commits replace those after the newest checkpoint.
    private func writeLog(
        _ target: any Directory, _ own: Lineage, _ storeOptions: StoreOptions,
        _ placeholder: (CommitNumber, [UInt8]?) -> [UInt8]
    ) throws {
        var tail = LogTail()
        tail.last = plan.first.rawValue
        let writer = LogWriter(
            directory: target, options: storeOptions, lineage: own, epoch: epoch + 1, tail: tail)
        try writer.startSegment()
        var group: [[UInt8]] = []
        var bytes = 0
        var next = plan.first.rawValue + 1
        var previous: [UInt8]?
        func flush() throws {
            if !group.isEmpty { try writer.write(group) }
            (group, bytes) = ([], 0)
        }
        func add(_ item: [UInt8]) throws {
            group.append(item)
            bytes += item.count
            previous = item
            next += 1
            if bytes >= 1 << 20 || group.count >= storeOptions.groupCommitsMax { try flush() }
        }
        var holes = plan.holes[...]
        func skipHole() throws {
            while let hole = holes.first, hole.loss.commits.lowerBound.rawValue < next { holes.removeFirst() }
            guard let hole = holes.first, hole.loss.commits.lowerBound.rawValue == next else { return }
            try flush()
            next = hole.loss.commits.upperBound.rawValue + 1
            try writer.startSegment(afterHoleBefore: next)
        }
        try survey.forEachCommit { number, item, isTrusted in
            guard isTrusted else { return }
            try skipHole()
            guard number >= next, number <= plan.last.rawValue else { return }
            while next < number { try add(placeholder(CommitNumber(next), previous)) }
            try add(item)
        }
        try skipHole()
        try flush()
        guard next == plan.last.rawValue + 1 else {
            throw DatabaseError(.ioFailed, "The source changed while it was read. Try again.")
        }
        try writer.close()
    }
}
