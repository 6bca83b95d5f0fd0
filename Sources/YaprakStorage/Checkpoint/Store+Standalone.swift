package import SystemPackage

extension Store {
    /// Makes a new database directory whose only content is one checkpoint: a backup, or a fork to disk.
    ///
    /// The directory gets its name when `finish()` returns; before, it has a temporary name beside it. Never
    /// overwrites. The new database has an identity of its own.
    /// - Throws: `alreadyExists`, `notFound` (the parent), `diskFull`, `writeFailed`.
    package static func createStandalone(
        _ path: FilePath, at number: CommitNumber, options: StoreOptions = StoreOptions(),
        fileSystem: any FileSystem = PosixFileSystem()
    ) throws(DatabaseError) -> CheckpointWriter {
        try translatingDiskErrors(writing: true, file: path.string) {
            guard let parts = PathParts(path) else {
                throw DatabaseError(.notFound, "\(path) can't be made.", place: .init(file: path.string))
            }
            let parent: any Directory
            do {
                parent = try fileSystem.openDirectory(parts.parent)
            } catch {
                throw DatabaseError(
                    .notFound, "The directory \(parts.parent) can't be opened. Make it first.",
                    place: .init(file: parts.parent.string), cause: error)
            }
            guard try !parent.list(limit: Limits.directoryEntriesMax).contains(parts.name) else {
                throw taken(path, cause: nil)
            }
            return try standalone(path, parts, parent, number, options)
        }
    }

    private static func standalone(
        _ path: FilePath, _ parts: PathParts, _ parent: any Directory, _ number: CommitNumber, _ options: StoreOptions
    ) throws -> CheckpointWriter {
        let temporary = ".\(parts.name).tmp-\(hexadecimal(options.random()))"
        try parent.makeDirectory(temporary)
        let root = try parent.openDirectory(temporary)
        let cleanUp = { @Sendable in
            try? root.removeDirectory(DatabaseDirectory.segmentsName)
            try? root.removeDirectory(DatabaseDirectory.checkpointsName)
            try? parent.removeDirectory(temporary)
        }
        do {
            try root.makeDirectory(DatabaseDirectory.segmentsName)
            try root.makeDirectory(DatabaseDirectory.checkpointsName)
            let header = FileHeader(
                kind: .checkpoint, lineage: Lineage(id: DatabaseID(high: options.random(), low: options.random())),
                epoch: 1,
                first: number.rawValue, attested: number.rawValue, salt: options.random(), padShift: 3,
                maxStored: Limits.frameStoredMax, maxRaw: Limits.frameRawMax, createdNs: options.now())
            return try CheckpointWriter(
                .init(
                    directory: try root.openDirectory(DatabaseDirectory.checkpointsName),
                    name: FileName(first: number.rawValue, epoch: 1), header: header, options: options,
                    completed: { _ in
                        try root.sync()
                        do {
                            try parent.rename(temporary, to: parts.name)
                        } catch let error as DiskError where error.errno == .fileExists {
                            throw taken(path, cause: error)
                        }
                        try parent.sync()
                    }, cancelled: cleanUp))
        } catch {
            cleanUp()
            throw error
        }
    }

    private static func taken(_ path: FilePath, cause: (any Error)?) -> DatabaseError {
        DatabaseError(
            .alreadyExists, "There is something at \(path). Choose another path, or remove it.",
            place: .init(file: path.string), cause: cause)
    }
}
