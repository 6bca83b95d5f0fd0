package import YaprakModel

/// A section of a checkpoint.
package struct CheckpointSection: Sendable, Hashable {
    /// The kind of section. The layer above defines the kinds.
    package let kind: UInt16
    /// The name of what it holds.
    package let name: String
    /// Opaque bytes of the writer.
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

/// A checkpoint whose checksums were all verified. Many threads may read chunks at once.
///
///     for section in checkpoint.sections {
///         try checkpoint.forEachChunk(of: section) { items in … }
///     }
package final class CheckpointReader: Sendable {
    private let file: any File
    let header: FileHeader
    let footerSum: UInt64
    /// The file, relative to the database's directory.
    package let fileName: String
    /// The length of the file.
    package let fileBytes: UInt64
    /// What it holds, in the order it was written. Without sections whose names begin with U+0000: no name of a program does, and
    /// what earlier builds wrote under such names is nobody's.
    package let sections: [CheckpointSection]
    /// Damaged sections of derived state. They are not in `sections`.
    package let damagedSections: [DamagedSection]

    /// A section that does not verify, and whose content can be derived from others.
    package struct DamagedSection: Sendable, Hashable {
        package let name: String
        /// The place in the file, and what is wrong there.
        package let offset: UInt64
        package let what: String
    }

    init(
        file: any File, header: FileHeader, footerSum: UInt64, fileName: String, fileBytes: UInt64,
        sections: [CheckpointSection], damagedSections: [DamagedSection] = []
    ) {
        self.file = file
        self.header = header
        self.footerSum = footerSum
        self.fileName = fileName
        self.fileBytes = fileBytes
        self.sections = sections.filter { $0.name.utf8.first != 0 }
        self.damagedSections = damagedSections
    }

    /// The commit whose state this is.
    package var number: CommitNumber { CommitNumber(header.first) }
    /// The uncompressed size of all sections that can be read. O(sections).
    package var rawBytes: UInt64 { sections.reduce(0) { $0 + $1.rawBytes } }
    /// When it was begun, in nanoseconds since 1970.
    package var createdNs: Int64 { header.createdNs }

    /// Reads, verifies and decompresses one chunk: whole CBOR items. Safe from many threads at once.
    ///
    /// - Throws: `corruptCheckpoint`, `ioFailed`.
    /// - Complexity: O(bytes of the chunk); one or two allocations.
    package func bytes(of chunk: CheckpointChunk) throws(DatabaseError) -> [UInt8] {
        try translatingDiskErrors(writing: false, file: fileName) {
            let length = Layout.frameHeaderBytes + chunk.storedLength
            let bytes = try file.readAll(length, at: chunk.offset)
            guard bytes.count == length else { throw damaged(chunk, "the file ends in it") }
            return try bytes.withUnsafeBytes { buffer in
                let headerBytes = UnsafeRawBufferPointer(rebasing: buffer[..<Layout.frameHeaderBytes])
                let frame: FrameHeader
                switch UnprovenFrameHeader(bytes: headerBytes).prove(in: header, at: chunk.offset, end: fileBytes) {
                case .success(let proven): frame = proven
                case .failure(let error): throw damaged(chunk, error.damage.sentence)
                }
                let stored = UnsafeRawBufferPointer(rebasing: buffer[Layout.frameHeaderBytes...])
                guard frame.type == FrameType.chunk.rawValue, frame.rawLength == chunk.rawLength,
                    frame.proves(stored, salt: header.salt, offset: chunk.offset)
                else { throw damaged(chunk, FrameDamage.payload.sentence) }
                guard let raw = frame.decompressed(stored) else { throw damaged(chunk, "it does not decompress") }
                return raw
            }
        }
    }

    /// Calls `body` with each chunk of a section.
    ///
    /// - Throws: `corruptCheckpoint`, `ioFailed`, what `body` throws.
    package func forEachChunk(
        of section: CheckpointSection, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        for chunk in section.chunks { try bytes(of: chunk).withUnsafeBytes(body) }
    }

    private func damaged(_ chunk: CheckpointChunk, _ what: String) -> DatabaseError {
        DatabaseError(
            .corruptCheckpoint, "A chunk of \(fileName) at offset \(chunk.offset): \(what). Run `yaprak verify`.",
            place: .init(file: fileName, offset: chunk.offset))
    }
}
