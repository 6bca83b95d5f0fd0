internal import YaprakModel

/// The verification of a checkpoint with damage in a derived section: the trailer leads to the footer, whose table leads to
/// each section, and each section is verified on its own.
extension CheckpointProof {
    /// A reader for the intact sections, if only derived sections are damaged.
    ///
    /// - Throws: `Failure`, `DiskError`.
    static func proveByTable(
        _ file: any File, _ header: FileHeader, _ name: String, _ decompresses: Bool
    ) throws -> CheckpointReader {
        let table = try SectionTable(file, header)
        var sections: [CheckpointSection] = []
        var damaged: [CheckpointReader.DamagedSection] = []
        for (index, entry) in table.entries.enumerated() {
            let end = index + 1 < table.entries.count ? table.entries[index + 1].offset : table.footerOffset
            do {
                sections.append(try table.prove(entry, upTo: end, decompresses))
            } catch let failure as Failure where entry.kind == Layout.derivedSectionKind && !failure.isNewer {
                damaged.append(.init(name: entry.name, offset: failure.offset, what: failure.what))
            }
        }
        return CheckpointReader(
            file: file, header: header, footerSum: table.footerSum, fileName: name, fileBytes: table.window.size,
            sections: sections, damagedSections: damaged)
    }

    /// The table of sections, found from the end of the file.
    private struct SectionTable {
        let header: FileHeader
        let window: ReadWindow
        let entries: [SectionEntry]
        let footerOffset: UInt64
        let footerSum: UInt64

        init(_ file: any File, _ header: FileHeader) throws {
            self.header = header
            window = try ReadWindow(file)
            let length = UInt64(Layout.trailerBytes)
            guard window.size >= UInt64(Layout.fileHeaderBytes) + length,
                let bytes = try window.bytes(at: window.size - length, count: Layout.trailerBytes),
                let trailer = CheckpointTrailer(bytes, salt: header.salt, offset: window.size - length),
                trailer.number == header.first
            else { throw Failure(offset: window.size, what: "the trailer does not verify") }
            let (frame, stored) = try Self.frame(at: trailer.footerOffset, header, window)
            let table: [SectionEntry]?
            // The table is compressed, so the size of the file bounds the count that it may claim.
            let countMax = min(header.sectionsMax, Int(trailer.footerOffset / UInt64(FormatLimits.sectionBytesMin)))
            if frame.codec == .raw {
                table = SectionEntry.table(stored, countMax: countMax)
            } else {
                table = frame.decompressed(stored).flatMap { raw in
                    raw.withUnsafeBytes { SectionEntry.table($0, countMax: countMax) }
                }
            }
            guard frame.type == FrameType.footer.rawValue, frame.headerSum == trailer.footerSum,
                trailer.footerOffset + UInt64(frame.totalLength) == window.size - length, let table,
                Self.ascend(table, from: UInt64(Layout.fileHeaderBytes), to: trailer.footerOffset)
            else { throw Failure(offset: trailer.footerOffset, what: "the table of sections does not verify") }
            entries = table
            footerOffset = trailer.footerOffset
            footerSum = frame.headerSum
        }

        /// Whether each section begins behind the one before it: then no byte is read for two of them.
        private static func ascend(_ table: [SectionEntry], from start: UInt64, to end: UInt64) -> Bool {
            guard let first = table.first, let last = table.last else { return true }
            return first.offset >= start && last.offset < end
                && zip(table, table.dropFirst()).allSatisfy { $0.offset < $1.offset }
        }

        private static func frame(
            at offset: UInt64, _ header: FileHeader, _ window: ReadWindow
        ) throws -> (FrameHeader, UnsafeRawBufferPointer) {
            guard let bytes = try window.bytes(at: offset, count: Layout.frameHeaderBytes) else {
                throw Failure(offset: offset, what: "the file ends before its footer")
            }
            let frame: FrameHeader
            switch UnprovenFrameHeader(bytes: bytes).prove(in: header, at: offset, end: window.size) {
            case .success(let proven): frame = proven
            case .failure(let error):
                var failure = Failure(offset: offset, what: error.damage.sentence)
                if case .newer = error.damage { failure.isNewer = true }
                throw failure
            }
            let start = offset + UInt64(Layout.frameHeaderBytes)
            guard frame.first == header.first, let stored = try window.bytes(at: start, count: frame.storedLength),
                frame.proves(stored, salt: header.salt, offset: offset)
            else { throw Failure(offset: offset, what: FrameDamage.payload.sentence) }
            return (frame, stored)
        }

        /// Walks the frames of one section.
        func prove(_ entry: SectionEntry, upTo end: UInt64, _ decompresses: Bool) throws -> CheckpointSection {
            var offset = entry.offset
            var chain: UInt64?
            var walked: SectionEntry?
            var chunks: [CheckpointChunk] = []
            func failure(_ what: String) -> Failure { Failure(offset: offset, what: what) }
            while offset < end {
                let (frame, stored) = try Self.frame(at: offset, header, window)
                // The section before the first frame may be damaged.
                guard chain == nil || frame.previousChain == chain else { throw failure(FrameDamage.chain.sentence) }
                switch FrameType(rawValue: frame.type) {
                case .sectionBegin:
                    guard walked == nil, var begun = SectionEntry(begin: stored) else {
                        throw failure("a section starts wrongly")
                    }
                    begun.offset = offset
                    walked = begun
                case .chunk:
                    guard walked != nil, frame.rawLength > 0, chunks.count < FormatLimits.chunksMax else {
                        throw failure("a chunk is out of place")
                    }
                    if decompresses, frame.decompressed(stored) == nil { throw failure("a chunk does not decompress") }
                    walked?.rawBytes += UInt64(frame.rawLength)
                    walked?.chunks += 1
                    chunks.append(.init(offset: offset, storedLength: frame.storedLength, rawLength: frame.rawLength))
                case .sectionEnd:
                    var stated = walked
                    var cursor = ByteCursor(stored)
                    guard stated?.readEnd(&cursor) ?? false, cursor.isAtEnd, stated?.rawBytes == walked?.rawBytes,
                        stated?.chunks == walked?.chunks, stated == entry, offset + UInt64(frame.totalLength) == end
                    else { throw failure("a section holds other bytes than it counts") }
                    return CheckpointSection(
                        kind: entry.kind, name: entry.name, info: entry.info, asOf: CommitNumber(entry.asOf),
                        count: Int(entry.count), digest: entry.digest, rawBytes: entry.rawBytes, chunks: chunks)
                case nil: break
                default: throw failure("a frame of a segment is in a checkpoint")
                }
                offset += UInt64(frame.totalLength)
                chain = frame.headerSum
            }
            throw failure("a section does not end")
        }
    }
}
