import YaprakCBOR
import YaprakModel
package import YaprakStorage

extension CheckpointReader {
    /// What the checkpoint has of extensions, by name.
    ///
    /// What can't be read of a derived extension is left out: it is computed when the extension is registered.
    /// - Parameter omitted: gets each section that is left out, and why.
    /// - Throws: `corruptCheckpoint`, `ioFailed`, for primary state.
    package func extensionItems(
        omitted: (CheckpointSection, any Error) -> Void = { _, _ in }
    ) throws -> [String: ExtensionShelf.Item] {
        var shelf = ExtensionShelf()
        for section in sections {
            switch SectionKind(rawValue: section.kind) {
            case .derivedRoot:
                do {
                    guard section.asOf == number else { throw malformedSection("the commit of a kept extension") }
                    shelf.items[section.name] = try item(of: section, shelf)
                } catch {
                    omitted(section, error)
                }
            case .primaryRoot: try namingItself(section) { shelf.items[section.name] = try item(of: section, shelf) }
            case .primarySteps: try namingItself(section) { try addSteps(of: section, to: &shelf) }
            case .records, .setAside, nil: break
            }
        }
        return shelf.items
    }

    private func item(of section: CheckpointSection, _ shelf: ExtensionShelf) throws -> ExtensionShelf.Item {
        let info = try SectionInfo(section.info)
        return ExtensionShelf.Item(
            versionTag: info.tag, isPrimary: section.kind == SectionKind.primaryRoot.rawValue,
            isForReaders: info.isForReaders, bytes: try bytes(of: section),
            steps: shelf.items[section.name]?.steps ?? [])
    }

    private func addSteps(of section: CheckpointSection, to shelf: inout ExtensionShelf) throws {
        try forEachChunk(of: section) { chunk in
            var reader = CBORReader(chunk)
            while !reader.isAtEnd {
                let start = reader.position
                try reader.skip()
                shelf.add(step: [UInt8](chunk[start..<reader.position]), of: section.name)
            }
        }
    }

    private func bytes(of section: CheckpointSection) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachChunk(of: section) { chunk in
            var reader = CBORReader(chunk)
            while !reader.isAtEnd { bytes += try reader.readBytesInPlace() }
        }
        return bytes
    }

    /// Runs what reads a section; an error that comes of its content names this file and the section.
    func namingItself<Result>(_ section: CheckpointSection, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            let known = error as? DatabaseError
            if let known, known.code != .corruptCheckpoint || known.place.file != nil { throw known }
            var place = known?.place ?? .init()
            place.file = fileName
            if section.kind == SectionKind.records.rawValue || section.kind == SectionKind.setAside.rawValue {
                place.collectionName = section.name
            }
            let what =
                known?.message
                ?? "It is not in the form of this version: \(ErrorText.of(error)). Run `yaprak verify`."
            throw DatabaseError(
                .corruptCheckpoint, "\(fileName), section \(section.name.debugDescription): \(what)", place: place,
                cause: known?.cause ?? (known == nil ? error : nil))
        }
    }
}
