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
        let isSalvaged = try translatingDiskErrors(writing: false) {
            try lineage(of: try directory.list())?.isSalvaged ?? false
        }
        return try Store.createStandalone(
            path, at: number, isSalvaged: isSalvaged, tags: tags, options: options, fileSystem: fileSystem)
    }
}
