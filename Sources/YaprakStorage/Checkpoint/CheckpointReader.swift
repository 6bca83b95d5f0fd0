/// A section of a checkpoint.
package struct CheckpointSection: Sendable, Hashable {
    /// What the section is; the meaning belongs to the floor above.
    package let kind: UInt16
    /// The name of what it holds.
    package let name: String
    /// What the writer gave along, opaque.
    package let info: [UInt8]
    /// The commit the content belongs to.
    package let asOf: CommitNumber
    /// How many items there are.
    package let count: Int
    /// The digest the writer computed of the state.
    package let digest: UInt64
    /// The uncompressed size of all chunks.
    package let rawBytes: UInt64
    /// The chunks, in order.
    package let chunks: [CheckpointChunk]
}

/// Where a chunk is, and how large.
package struct CheckpointChunk: Sendable, Hashable {
    /// The offset of its frame in the file.
    package let offset: UInt64
    /// Bytes in the file, without the header.
    package let storedLength: Int
    /// Bytes uncompressed.
    package let rawLength: Int
}

/// A checkpoint whose every sum was verified. Chunks can be read by many threads at once.
package final class CheckpointReader: Sendable {
    /// The commit whose state this is.
    package var number: CommitNumber { .zero }
    /// When it was begun, in nanoseconds since 1970.
    package var createdNs: Int64 { 0 }
    /// What it holds, in the order it was written.
    package var sections: [CheckpointSection] { [] }

    /// Reads, verifies and decompresses one chunk: whole CBOR items.
    ///
    /// - Throws: `corruptCheckpoint`, `ioFailed`.
    package func bytes(of chunk: CheckpointChunk) throws(DatabaseError) -> [UInt8] { throw unbuilt }

    /// Hands over the chunks of a section one by one.
    package func forEachChunk(
        of section: CheckpointSection, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws { throw unbuilt }
}
