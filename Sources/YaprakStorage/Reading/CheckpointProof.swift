internal import YaprakModel

/// The verification of a checkpoint: every frame from the first to the footer, then the trailer, then the end of the file.
enum CheckpointProof {
    /// Why a file is not a complete checkpoint.
    struct Failure: Error {
        var offset: UInt64
        var what: String
        var isNewer = false
    }

    /// The damage that a reader tolerates.
    enum Allowance {
        case nothing
        /// Damage in derived sections, whose content follows from that of the others. They are left out.
        case derived
    }

    /// Reads the whole file once and returns a reader for it.
    ///
    /// - Throws: `Failure`, `DiskError`.
    static func prove(
        _ name: FileName, in directory: any Directory, of lineage: Lineage?, decompresses: Bool = false,
        allowing allowance: Allowance = .nothing
    ) throws -> CheckpointReader {
        let (file, result) = try DatabaseDirectory.open(name, .checkpoint, in: directory)
        return try prove(
            file, result, name: name.path(.checkpoint), of: lineage,
            decompresses: decompresses, allowing: allowance)
    }

    static func prove(
        _ file: any File, _ result: Result<FileHeader, HeaderDamage>, name: String, of lineage: Lineage?,
        decompresses: Bool, allowing allowance: Allowance = .nothing
    ) throws -> CheckpointReader {
        let header: FileHeader
        switch result {
        case .success(let proven): header = proven
        case .failure(let damage):
            var failure = Failure(offset: 0, what: damage.sentence)
            if case .newer = damage { failure.isNewer = true }
            throw failure
        }
        guard lineage?.accepts(header) ?? true else {
            throw Failure(offset: 0, what: "the file belongs to another database")
        }
        do {
            return try walk(file, header, name, decompresses)
        } catch let failure as Failure where allowance == .derived && !failure.isNewer {
            do {
                return try proveByTable(file, header, name, decompresses)
            } catch let other as Failure where other.isNewer {
                // What is damaged can be derived. The rest is whole, and of a newer version.
                throw other
            } catch {
                // The first failure says more than another that is found through the table.
                throw failure
            }
        }
    }

    private static func walk(
        _ file: any File, _ header: FileHeader, _ name: String, _ decompresses: Bool
    ) throws -> CheckpointReader {
        var walk = Walk(header: header, window: try ReadWindow(file), decompresses: decompresses)
        try walk.run()
        return CheckpointReader(
            file: file, header: header, footerSum: walk.chain, fileName: name, fileBytes: walk.window.size,
            sections: walk.finished)
    }

    /// One pass over the frames.
    private struct Walk {
        let header: FileHeader
        let window: ReadWindow
        let decompresses: Bool
        var offset = UInt64(Layout.fileHeaderBytes)
        var chain: UInt64 = 0
        var finished: [CheckpointSection] = []
        private var entries: [SectionEntry] = []
        private var current: SectionEntry?
        private var chunks: [CheckpointChunk] = []
        private var chunkCount = 0

        init(header: FileHeader, window: ReadWindow, decompresses: Bool) {
            self.header = header
            self.window = window
            self.decompresses = decompresses
        }

        mutating func run() throws {
            while true {
                let (frame, stored) = try nextFrame()
                switch FrameType(rawValue: frame.type) {
                case .sectionBegin: try begin(stored)
                case .chunk: try chunk(frame, stored)
                case .sectionEnd: try end(stored)
                case .footer:
                    try footer(frame, stored)
                    return
                case nil: break
                default: throw failure("a frame of a segment is in a checkpoint")
                }
                advance(frame)
            }
        }

        private mutating func advance(_ frame: FrameHeader) {
            offset += UInt64(frame.totalLength)
            chain = frame.headerSum
        }

        private func failure(_ what: String, isNewer: Bool = false) -> Failure {
            Failure(offset: offset, what: what, isNewer: isNewer)
        }

        private func nextFrame() throws -> (FrameHeader, UnsafeRawBufferPointer) {
            guard let bytes = try window.bytes(at: offset, count: Layout.frameHeaderBytes) else {
                throw failure("the file ends before its footer")
            }
            let frame: FrameHeader
            switch UnprovenFrameHeader(bytes: bytes).prove(in: header, at: offset, end: window.size) {
            case .success(let proven): frame = proven
            case .failure(let error):
                if case .newer = error.damage { throw failure(error.damage.sentence, isNewer: true) }
                throw failure(error.damage.sentence)
            }
            guard frame.previousChain == chain, frame.first == header.first else {
                throw failure(FrameDamage.chain.sentence)
            }
            let start = offset + UInt64(Layout.frameHeaderBytes)
            guard let stored = try window.bytes(at: start, count: frame.storedLength),
                frame.proves(stored, salt: header.salt, offset: offset)
            else { throw failure(FrameDamage.payload.sentence) }
            return (frame, stored)
        }

        private mutating func begin(_ stored: UnsafeRawBufferPointer) throws {
            guard current == nil, entries.count < header.sectionsMax, var entry = SectionEntry(begin: stored) else {
                throw failure("a section starts wrongly")
            }
            entry.offset = offset
            current = entry
        }

        private mutating func chunk(_ frame: FrameHeader, _ stored: UnsafeRawBufferPointer) throws {
            guard current != nil, frame.rawLength > 0, chunkCount < FormatLimits.chunksMax else {
                throw failure("a chunk is out of place")
            }
            if decompresses, frame.decompressed(stored) == nil { throw failure("a chunk does not decompress") }
            chunkCount += 1
            current?.rawBytes += UInt64(frame.rawLength)
            current?.chunks += 1
            chunks.append(
                CheckpointChunk(offset: offset, storedLength: frame.storedLength, rawLength: frame.rawLength))
        }

        private mutating func end(_ stored: UnsafeRawBufferPointer) throws {
            guard let walked = current else { throw failure("a section ends that did not start") }
            var stated = walked
            var cursor = ByteCursor(stored)
            guard stated.readEnd(&cursor), cursor.isAtEnd, stated.rawBytes == walked.rawBytes,
                stated.chunks == walked.chunks
            else { throw failure("a section holds other bytes than it counts") }
            entries.append(stated)
            finished.append(
                CheckpointSection(
                    kind: stated.kind, name: stated.name, info: stated.info, asOf: CommitNumber(stated.asOf),
                    count: Int(stated.count), digest: stated.digest, rawBytes: stated.rawBytes, chunks: chunks))
            chunks = []
            current = nil
        }

        private mutating func footer(_ frame: FrameHeader, _ stored: UnsafeRawBufferPointer) throws {
            let table: [SectionEntry]?
            if frame.codec == .raw {
                table = SectionEntry.table(stored, countMax: entries.count)
            } else {
                table = frame.decompressed(stored).flatMap { raw in
                    raw.withUnsafeBytes { SectionEntry.table($0, countMax: entries.count) }
                }
            }
            guard current == nil, table == entries else {
                throw failure("the table of sections differs from the sections")
            }
            let footerOffset = offset
            advance(frame)
            guard let bytes = try window.bytes(at: offset, count: Layout.trailerBytes),
                window.size == offset + UInt64(Layout.trailerBytes),
                CheckpointTrailer(bytes, salt: header.salt, offset: offset)
                    == CheckpointTrailer(number: header.first, footerOffset: footerOffset, footerSum: frame.headerSum)
            else { throw failure("the trailer does not verify") }
        }
    }
}
