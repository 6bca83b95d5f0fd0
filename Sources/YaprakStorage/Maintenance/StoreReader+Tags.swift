internal import SystemPackage
package import YaprakModel

// The file of tags is not part of the log: the engine does not read it, and only tools write it.
extension StoreReader {
    /// The name of the file of tags.
    package static let tagFileName = Layout.tagsName
    /// Larger files of tags are refused.
    package static let tagFileBytesMax = 1 << 20

    private static let newTagFileName = "tags.lock"

    /// The content of the file of tags; nil if there is none.
    ///
    /// - Throws: `overLimit`, `permissionDenied`, `ioFailed`.
    package func tagFile() throws(DatabaseError) -> [UInt8]? {
        try translatingDiskErrors(writing: false, file: Self.tagFileName) {
            do {
                let file = try directory.root.open(Self.tagFileName, .read)
                let bytes = try file.readAll(Self.tagFileBytesMax + 1, at: 0)
                guard bytes.count <= Self.tagFileBytesMax else {
                    throw DatabaseError(
                        .overLimit, "The file of tags is larger than \(Self.tagFileBytesMax) bytes. Remove it.",
                        place: .init(file: Self.tagFileName))
                }
                return bytes
            } catch let error as DiskError where error.errno == .noSuchFileOrDirectory {
                return nil
            }
        }
    }

    /// Replaces the file of tags atomically with the result of `edit`; nil leaves it unchanged.
    ///
    /// As in git, the new file is the lock: only one process can create a file of its name.
    /// - Throws: `alreadyOpen` if another holds the lock, `overLimit`, `permissionDenied`, `ioFailed`, `diskFull`, `writeFailed`,
    ///   `syncFailed`; what `edit` throws. The file is then as before, unless `syncFailed` says that the tags are written.
    package func editTagFile(_ edit: (inout [UInt8]?) throws(DatabaseError) -> Void) throws(DatabaseError) {
        let root = directory.root
        try translatingDiskErrors(writing: true, file: Self.tagFileName) {
            let file = try lockTagFile(in: root)
            var isDone = false
            defer { if !isDone { try? root.unlink(Self.newTagFileName) } }
            var bytes = try tagFile()
            try edit(&bytes)
            guard let bytes else { return }
            try file.writeAll(bytes, at: 0)
            try file.sync()
            try file.close()
            try root.replace(Self.tagFileName, by: Self.newTagFileName)
            isDone = true
            do throws(DiskError) {
                // A rename is not durable until its directory is.
                try root.sync()
            } catch {
                throw DatabaseError(
                    .syncFailed,
                    "The tags are written, but the device failed to confirm that, and a power failure may take it "
                        + "back. Check the device, and copy the directory to another.",
                    place: .init(file: Self.tagFileName), cause: error)
            }
        }
    }

    private func lockTagFile(in root: any Directory) throws -> any File {
        do throws(DiskError) {
            return try root.open(Self.newTagFileName, .create)
        } catch {
            guard error.errno == .fileExists else { throw error }
            throw DatabaseError(
                .alreadyOpen,
                "Another process is writing tags. If none is, one was stopped half-way: remove \(Self.newTagFileName).",
                place: .init(file: Self.newTagFileName), cause: error)
        }
    }
}
