package import SystemPackage
package import YaprakModel

extension Store {
    /// Makes a new database directory with a single checkpoint: a backup, or a fork to disk.
    ///
    /// The directory gets its name when `finish()` returns; until then it has a temporary name beside it. Never
    /// overwrites anything. The new database has a new identity.
    /// - Throws: `alreadyExists`, `notFound` (the parent), `diskFull`, `writeFailed`.
    package static func createStandalone(
        _ path: FilePath, at number: CommitNumber, options: StoreOptions = StoreOptions(),
        fileSystem: any FileSystem = PosixFileSystem()
    ) throws(DatabaseError) -> CheckpointWriter {
        try translatingDiskErrors(writing: true, file: path.string) {
            let new = try NewDirectory(path, random: options.random(), fileSystem)
            do {
                let header = FileHeader(
                    kind: .checkpoint, lineage: Lineage(id: DatabaseID(high: options.random(), low: options.random())),
                    epoch: 1, first: number.rawValue, attested: number.rawValue, salt: options.random(), padShift: 3,
                    maxStored: FormatLimits.frameStoredMax, maxRaw: FormatLimits.frameRawMax, createdNs: options.now())
                return try CheckpointWriter(
                    .init(
                        directory: new.checkpoints, name: FileName(first: number.rawValue, epoch: 1), header: header,
                        options: options, completed: { _ in try new.finish() }, cancelled: { new.cancel() }))
            } catch {
                new.cancel()
                throw error
            }
        }
    }
}
