/// Writes one checkpoint: sections of whole CBOR items, cut into compressed chunks.
///
///     let writer = try store.beginCheckpoint(at: snapshot.number)
///     try writer.beginSection(kind: 1, name: "books", info: info, asOf: snapshot.number)
///     for row in rows { try writer.append(row.encoded) }
///     try writer.endSection(count: rows.count, digest: digest)
///     try writer.finish()
///
/// Not for use from two threads at once. Without `finish()` nothing of it is ever seen.
package final class CheckpointWriter {
    /// The commit whose state this is.
    package let number: CommitNumber

    init(number: CommitNumber) { self.number = number }

    /// Starts a section. `info` is small and opaque: what a reader needs to know before the chunks.
    package func beginSection(kind: UInt16, name: String, info: [UInt8], asOf: CommitNumber) throws(DatabaseError) {
        throw unbuilt
    }

    /// Adds whole CBOR items; a chunk is cut only between two calls.
    package func append(_ items: UnsafeRawBufferPointer) throws(DatabaseError) { throw unbuilt }

    /// Adds whole CBOR items; a chunk is cut only between two calls.
    package func append(_ items: [UInt8]) throws(DatabaseError) { throw unbuilt }

    /// Ends the section with the number of its items and the digest of its state.
    package func endSection(count: Int, digest: UInt64) throws(DatabaseError) { throw unbuilt }

    /// Syncs, reads everything back through a fresh descriptor, gives the file its name, prunes what retention allows.
    ///
    /// - Throws: `diskFull`, `writeFailed`, `syncFailed`, `corruptCheckpoint` (what came back differs). The older
    ///   checkpoints and the log are untouched then, and the store goes on.
    package func finish() throws(DatabaseError) { throw unbuilt }

    /// Gives up; removes the file.
    package func cancel() {}
}
