package import SystemPackage
package import YaprakModel

extension StoreReader {
    /// Makes a new database directory with a single checkpoint, as `Store.createStandalone` does, that says of lost commits what
    /// this directory says.
    ///
    /// It gets its name when the writer's `finish()` returns; until then it has a temporary one, under which the next attempt
    /// removes it if this process is killed.
    /// - Parameter tags: the content of the file of tags; no file is made if it is empty.
    /// - Throws: `alreadyExists`, `notFound` (the parent), `diskFull`, `writeFailed`, `ioFailed`.
    package func createStandalone(
        _ path: FilePath, at number: CommitNumber, tags: [UInt8] = [], options: StoreOptions = StoreOptions(),
        fileSystem: any FileSystem = PosixFileSystem()
    ) throws(DatabaseError) -> CheckpointWriter {
        try translatingDiskErrors(writing: true, file: path.string) {
            var lineage = Lineage(id: DatabaseID(high: options.random(), low: options.random()))
            lineage.isSalvaged = try self.lineage(of: try directory.list())?.isSalvaged ?? false
            let new = try NewDirectory(path, random: options.random(), fileSystem)
            do {
                let name = FileName(first: number.rawValue, epoch: 1)
                let header = FileHeader(
                    kind: .checkpoint, lineage: lineage, epoch: name.epoch, first: name.first, attested: name.first,
                    salt: options.random(), padShift: 3, maxStored: FormatLimits.frameStoredMax,
                    maxRaw: FormatLimits.frameRawMax, createdNs: options.now())
                return try CheckpointWriter(
                    .init(
                        directory: new.checkpoints, name: name, header: header, options: options,
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
