package import SystemPackage
package import YaprakModel

extension Store {
    /// Makes a new database directory with a single checkpoint: a backup, or a fork to disk.
    ///
    /// The directory gets its name when `finish()` returns; until then it has a temporary name beside it. Never
    /// overwrites anything. The new database has a new identity.
    /// - Parameters:
    ///   - isSalvaged: whether the history lacks commits, which the files say then.
    ///   - tags: the content of the file of tags; no file is made if it is empty.
    /// - Throws: `alreadyExists`, `notFound` (the parent), `alreadyOpen`, `diskFull`, `writeFailed`, `permissionDenied`,
    ///   `ioFailed`.
    package static func createStandalone(
        _ path: FilePath, at number: CommitNumber, isSalvaged: Bool = false, tags: [UInt8] = [],
        options: StoreOptions = StoreOptions(), fileSystem: any FileSystem = PosixFileSystem()
    ) throws(DatabaseError) -> CheckpointWriter {
        try translatingDiskErrors(writing: true, file: path.string) {
            let new = try NewDirectory(path, random: options.random(), fileSystem)
            do {
                var lineage = Lineage(id: DatabaseID(high: options.random(), low: options.random()))
                lineage.isSalvaged = isSalvaged
                let header = FileHeader(
                    kind: .checkpoint, lineage: lineage, epoch: 1, first: number.rawValue, attested: number.rawValue,
                    salt: options.random(), padShift: 3,
                    maxStored: FormatLimits.frameStoredMax, maxRaw: FormatLimits.frameRawMax, createdNs: options.now())
                return try CheckpointWriter(
                    .init(
                        directory: new.checkpoints, name: FileName(first: number.rawValue, epoch: 1), header: header,
                        options: options,
                        completed: { _ in
                            try new.write(tags: tags)
                            try new.finish()
                        }, cancelled: { new.cancel() }))
            } catch {
                new.cancel()
                throw error
            }
        }
    }
}
