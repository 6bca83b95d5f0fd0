import YaprakCBOR
import YaprakModel
import YaprakStorage
import YaprakTrees

extension CheckpointAudit {
    /// What needs no replay: digests of the sections against what is in them, what is kept of extensions.
    mutating func inspect(_ reader: CheckpointReader, _ checkpoint: StoreReader.Checkpoint) {
        setAside = []
        setAsideCount = 0
        for section in reader.sections {
            do {
                switch SectionKind(rawValue: section.kind) {
                case .records, .setAside: try inspectRecords(section, reader, checkpoint)
                case .derivedRoot, .primaryRoot: try inspectRoot(section, reader, checkpoint)
                case .primarySteps, nil: break
                }
            } catch {
                add(
                    section.kind == SectionKind.derivedRoot.rawValue ? .derived : .corrupt, checkpoint.file,
                    "The section \(section.name.debugDescription) can't be read: \(Self.sentence(error))")
            }
        }
    }

    private mutating func inspectRecords(
        _ section: CheckpointSection, _ reader: CheckpointReader, _ checkpoint: StoreReader.Checkpoint
    ) throws {
        let isAside = section.kind == SectionKind.setAside.rawValue
        let version = try SectionInfo(section.info).version
        var digest = StateDigest()
        var count = 0
        var keys = AscendingKeys()
        for chunk in section.chunks {
            let bytes = try reader.bytes(of: chunk)[...]
            try bytes.withUnsafeBytes { raw in
                var items = CBORReader(raw)
                while !items.isAtEnd {
                    let start = items.position
                    let record = try RecordItem.read(&items, in: bytes, sectionVersion: version, after: &keys)
                    digest.add(UnsafeRawBufferPointer(rebasing: raw[start..<items.position]))
                    count += 1
                    if isAside, setAside.count < 1000 { setAside.append((section.name, record.key)) }
                }
            }
        }
        if isAside { setAsideCount += count }
        guard count == section.count, digest.value == section.digest else {
            add(
                .corrupt, checkpoint.file,
                "The digest of \(section.name.debugDescription) is not that of its records. Restore a backup.",
                collection: section.name)
            return
        }
    }

    private mutating func inspectRoot(
        _ section: CheckpointSection, _ reader: CheckpointReader, _ checkpoint: StoreReader.Checkpoint
    ) throws {
        let isDerived = section.kind == SectionKind.derivedRoot.rawValue
        if section.asOf != checkpoint.number {
            add(
                isDerived ? .derived : .corrupt, checkpoint.file,
                """
                What is kept of the extension \(section.name.debugDescription) is as of commit \(section.asOf), not of \
                this one. \(isDerived ? "`yaprak repair --rebuild-derived` drops it." : "Restore a backup.")
                """)
        }
        _ = try SectionInfo(section.info)
        var pieces = 0
        try reader.forEachChunk(of: section) { chunk in
            var items = CBORReader(chunk)
            while !items.isAtEnd {
                _ = try items.readBytesInPlace()
                pieces += 1
            }
        }
        guard pieces == section.count else { throw malformedSection("what is kept of an extension") }
    }
}
