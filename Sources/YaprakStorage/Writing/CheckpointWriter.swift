internal import SystemPackage
package import YaprakModel

/// Writes one checkpoint: sections of whole CBOR items, cut into compressed chunks.
///
///     let writer = try store.beginCheckpoint(at: snapshot.number)
///     try writer.beginSection(kind: 1, name: "books", info: info, asOf: snapshot.number)
///     for row in rows { try writer.append(row.encoded) }
///     try writer.endSection(count: rows.count, digest: digest)
///     try writer.finish()
///
/// Not safe to use from two threads at once. Without `finish()` the checkpoint never becomes visible.
package final class CheckpointWriter {
    /// The context of the file: an open store, or a new directory.
    struct Surroundings {
        let directory: any Directory
        let name: FileName
        let header: FileHeader
        let options: StoreOptions
        /// Called when the file has its name and the name is durable.
        let completed: (CheckpointMark) throws -> Void
        /// Called when the checkpoint was given up.
        let cancelled: () -> Void
    }

    private enum State { case open, section(SectionEntry), ended }

    private let surroundings: Surroundings
    private let file: any File
    private var builder: FrameBuilder
    private var gate: CompressionGate
    private var state = State.open
    private var entries: [SectionEntry] = []
    private var chunk: [UInt8] = []
    private var chunkCount = 0
    private var unsyncedBytes = 0

    /// The commit whose state this is.
    package var number: CommitNumber { CommitNumber(surroundings.header.first) }

    /// The most bytes that ``append(_:)-(UnsafeRawBufferPointer)`` takes at once.
    package var itemBytesMax: Int { min(surroundings.options.itemBytesMax, Int(FormatLimits.frameRawMax)) }

    init(_ surroundings: Surroundings) throws {
        self.surroundings = surroundings
        gate = CompressionGate(isEnabled: surroundings.options.compresses)
        let temporary = surroundings.name.temporary(.checkpoint)
        try? surroundings.directory.unlink(temporary)
        file = try surroundings.directory.open(temporary, .create)
        builder = FrameBuilder(salt: surroundings.header.salt, base: UInt64(Layout.fileHeaderBytes), chain: 0)
        do {
            try file.writeAll(surroundings.header.encoded(), at: 0)
        } catch {
            try? file.close()
            try? surroundings.directory.unlink(temporary)
            throw error
        }
    }

    deinit { cancel() }

    /// Begins a section. `info` is small and opaque: what a reader needs before the chunks.
    ///
    /// - Throws: `diskFull`, `writeFailed`, `overLimit`.
    package func beginSection(
        kind: UInt16, name: String, info: [UInt8] = [], asOf: CommitNumber
    ) throws(DatabaseError) {
        guard case .open = state else { preconditionFailure("sections follow one another") }
        guard name.utf8.count <= FormatLimits.sectionNameBytesMax, info.count <= FormatLimits.sectionInfoBytesMax else {
            throw DatabaseError(.overLimit, "The section \(name) has a name or an info that is too long.")
        }
        guard entries.count < FormatLimits.sectionsMax else {
            throw DatabaseError(
                .overLimit,
                "A checkpoint has at most \(FormatLimits.sectionsMax) sections. Put more records into fewer collections."
            )
        }
        let entry = SectionEntry(kind: kind, name: name, info: info, asOf: asOf.rawValue, offset: builder.end)
        builder.addRaw(.sectionBegin, entry.encodedBegin(), first: number.rawValue, durable: number.rawValue)
        state = .section(entry)
    }

    /// Adds whole CBOR items. Chunks are cut only between two calls.
    ///
    /// - Throws: `diskFull`, `writeFailed`, `syncFailed`, `overLimit`.
    package func append(_ items: UnsafeRawBufferPointer) throws(DatabaseError) {
        guard case .section = state else { preconditionFailure("items belong to a section") }
        guard items.count <= itemBytesMax else {
            throw DatabaseError(.overLimit, "An item of \(items.count) bytes is larger than a chunk may be.")
        }
        if !chunk.isEmpty, chunk.count + items.count > surroundings.options.chunkBytes { try cutChunk() }
        chunk.append(contentsOf: items)
        if chunk.count >= surroundings.options.chunkBytes { try cutChunk() }
    }

    /// Adds whole CBOR items. Chunks are cut only between two calls.
    package func append(_ items: [UInt8]) throws(DatabaseError) {
        let result = items.withUnsafeBytes { buffer in
            Result { () throws(DatabaseError) in try append(buffer) }
        }
        try result.get()
    }

    /// Ends the section with the number of its items and the digest of its state.
    ///
    /// - Throws: `diskFull`, `writeFailed`, `syncFailed`.
    package func endSection(count: Int, digest: UInt64) throws(DatabaseError) {
        try cutChunk()
        guard case .section(var entry) = state else { preconditionFailure("a section was begun") }
        precondition(count >= 0, "items are counted from zero")
        entry.count = UInt64(count)
        entry.digest = digest
        builder.addRaw(.sectionEnd, entry.encodedEnd(), first: number.rawValue, durable: number.rawValue)
        entries.append(entry)
        state = .open
        try write()
    }

    /// Syncs the file, reads it back through a new descriptor, gives it its name and prunes what retention allows.
    ///
    /// - Throws: `diskFull`, `writeFailed`, `syncFailed`, `corruptCheckpoint` (what came back differs). The older
    ///   checkpoints and the log are untouched then, and the store goes on.
    /// - Complexity: O(bytes of the checkpoint).
    package func finish() throws(DatabaseError) {
        guard case .open = state else { preconditionFailure("every section was ended") }
        try attempt {
            try stateFeatures()
            let footerOffset = builder.end
            let table = SectionEntry.encoded(entries)
            guard table.count <= Int(FormatLimits.frameRawMax) else {
                throw DatabaseError(.overLimit, "The table of sections is too large.")
            }
            table.withUnsafeBytes {
                builder.add(.footer, $0, first: number.rawValue, durable: number.rawValue, gate: &gate)
            }
            let trailer = CheckpointTrailer(
                number: number.rawValue, footerOffset: footerOffset, footerSum: builder.chain)
            let footerSum = builder.chain
            try flushFrames()
            try file.writeAll(trailer.encoded(salt: builder.salt, offset: builder.end), at: builder.end)
            try file.sync()
            file.dropCache()
            try file.close()
            let temporary = surroundings.name.temporary(.checkpoint)
            try readBack(temporary, footerSum)
            try surroundings.directory.rename(temporary, to: surroundings.name.string(.checkpoint))
            do {
                // A rename is not durable until its directory is.
                try surroundings.directory.sync()
            } catch {
                // Nothing may rely on a checkpoint whose name a power cut may remove.
                try? surroundings.directory.unlink(surroundings.name.string(.checkpoint))
                throw error
            }
            state = .ended
            try surroundings.completed(
                CheckpointMark(
                    number: number.rawValue, footerSum: footerSum, createdNs: surroundings.header.createdNs))
        }
    }

    /// Gives up; removes the file.
    package func cancel() {
        if case .ended = state { return }
        state = .ended
        try? file.close()
        try? surroundings.directory.unlink(surroundings.name.temporary(.checkpoint))
        surroundings.cancelled()
    }

    // MARK: Writing

    private func cutChunk() throws(DatabaseError) {
        guard case .section(var entry) = state, !chunk.isEmpty else { return }
        guard chunkCount < FormatLimits.chunksMax else {
            throw DatabaseError(.overLimit, "The checkpoint has more chunks than one may have.")
        }
        chunk.withUnsafeBytes {
            builder.add(.chunk, $0, first: number.rawValue, durable: number.rawValue, gate: &gate)
        }
        chunkCount += 1
        entry.rawBytes += UInt64(chunk.count)
        entry.chunks += 1
        state = .section(entry)
        chunk.removeAll(keepingCapacity: true)
        try write()
    }

    private func write() throws(DatabaseError) {
        // There may be many small sections. A system call for each would cost more than their bytes.
        if builder.bytes.count >= 64 << 10 { try attempt { try flushFrames() } }
    }

    /// Writes the header again if it needs a feature that was unknown when it was written. The file is not visible yet.
    private func stateFeatures() throws {
        guard entries.count > FormatLimits.sectionsMaxPlain else { return }
        var header = surroundings.header
        header.incompatible |= Features.manySections
        try file.writeAll(header.encoded(), at: 0)
    }

    private func flushFrames() throws {
        guard !builder.bytes.isEmpty else { return }
        try file.writeAll(builder.bytes, at: builder.base)
        unsyncedBytes += builder.bytes.count
        builder.advance()
        guard unsyncedBytes >= surroundings.options.checkpointSyncBytes else { return }
        unsyncedBytes = 0
        // In portions, so that commits never wait for one large sync.
        try file.syncData()
    }

    private func readBack(_ temporary: String, _ footerSum: UInt64) throws {
        do {
            let fresh = try surroundings.directory.open(temporary, .read)
            defer { try? fresh.close() }
            let bytes = try fresh.readAll(Layout.fileHeaderBytes, at: 0)
            let header = Result { () throws(HeaderDamage) in
                try UnprovenFileHeader(bytes: bytes).prove(as: .checkpoint)
            }
            let reader = try CheckpointProof.prove(
                fresh, header, name: temporary, of: surroundings.header.lineage, decompresses: true)
            guard reader.footerSum == footerSum else {
                throw CheckpointProof.Failure(offset: 0, what: "the footer is another one")
            }
        } catch let failure as CheckpointProof.Failure {
            throw DatabaseError(
                .corruptCheckpoint,
                "What was written to \(temporary) reads back differently: \(failure.what). Check the device.",
                place: .init(file: temporary, offset: failure.offset))
        }
    }

    /// Runs `body`. If it fails, the file is removed, and the store continues without it.
    private func attempt(_ body: () throws -> Void) throws(DatabaseError) {
        do {
            try translatingDiskErrors(writing: true, body)
        } catch {
            cancel()
            throw error
        }
    }
}
