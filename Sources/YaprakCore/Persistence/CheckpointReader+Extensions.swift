import YaprakCBOR
package import YaprakStorage

extension CheckpointReader {
    /// What the checkpoint has of extensions, by name.
    /// - Throws: `corruptCheckpoint`, and what reading throws.
    package func extensionItems() throws -> [String: ExtensionShelf.Item] {
        var shelf = ExtensionShelf()
        for section in sections {
            switch SectionKind(rawValue: section.kind) {
            case .derivedRoot, .primaryRoot:
                shelf.items[section.name] = ExtensionShelf.Item(
                    versionTag: try SectionInfo(section.info).tag,
                    isPrimary: section.kind == SectionKind.primaryRoot.rawValue, bytes: try bytes(of: section),
                    steps: shelf.items[section.name]?.steps ?? [])
            case .primarySteps:
                try forEachChunk(of: section) { chunk in
                    var reader = CBORReader(chunk)
                    while !reader.isAtEnd {
                        let start = reader.position
                        try reader.skip()
                        shelf.add(step: [UInt8](chunk[start..<reader.position]), of: section.name)
                    }
                }
            case .records, .setAside, nil: break
            }
        }
        return shelf.items
    }

    private func bytes(of section: CheckpointSection) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachChunk(of: section) { chunk in
            var reader = CBORReader(chunk)
            while !reader.isAtEnd { bytes += try reader.readBytesInPlace() }
        }
        return bytes
    }
}
