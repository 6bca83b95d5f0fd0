import YaprakCBOR
import YaprakModel
import YaprakStorage
import YaprakTrees

/// What a checkpoint is written from: one state, and the primary state that waits in it for its extensions.
struct CheckpointContents: Sendable {
    var state: SnapshotState
    /// Lets the encoding of a record fail; none does if nil.
    var encodingFault: (@Sendable (_ collection: String, _ key: String) -> (any Error)?)?

    /// Writes all sections and finishes the checkpoint.
    ///
    /// - Parameter check: called now and then; what it throws ends the writing.
    /// - Returns: the bytes written, uncompressed.
    /// - Throws: what the writer and `check` throw; `encodingFailed` with the key. Nothing is left of the checkpoint then.
    func write(to writer: CheckpointWriter, checking check: @Sendable () throws -> Void = {}) throws -> UInt64 {
        var bytes: UInt64 = 0
        // One for all: there may be very many collections, each with a record or two.
        let buffer = CBORWriter(capacity: 64 << 10)
        do {
            for (binding, root) in zip(state.directory.bindings, state.roots)
            where !root.isEmpty && !binding.isForReplay {
                bytes += try writeRecords(binding, root, through: buffer, to: writer, checking: check)
            }
            for entry in state.extensions {
                try check()
                bytes += try writeRoot(entry, to: writer)
            }
            for (name, item) in state.extensions.waiting.sorted(by: { $0.key < $1.key })
            where state.entry(ofExtension: name) == nil {
                bytes += try writeShelved(name, item, to: writer)
            }
            try writer.finish()
            return bytes
        } catch {
            writer.cancel()
            throw error
        }
    }

    private func writeRecords(
        _ binding: CollectionBinding, _ root: TreeRoot, through buffer: CBORWriter, to writer: CheckpointWriter,
        checking check: @Sendable () throws -> Void
    ) throws -> UInt64 {
        try check()
        let aside = CollectionDirectory.nameOfAside(binding.name)
        // Rows of an unbound collection have the version they came with; nearly always the same.
        let version = unsafeDowncast(root.row(at: 0), to: RecordBox.self)
        let info = SectionInfo(version: binding.version(of: version), prototypes: binding.prototypes)
        try writer.beginSection(
            kind: (aside == nil ? SectionKind.records : .setAside).rawValue, name: aside ?? binding.name,
            info: info.bytes, asOf: state.number)
        buffer.removeAll()
        var digest = StateDigest()
        var bytes: UInt64 = 0
        try root.forEach { row in
            let start = buffer.count
            let record = unsafeDowncast(row, to: RecordBox.self)
            do {
                try checkFault(of: record, in: binding)
                try RecordItem.write(record, of: binding, sectionVersion: info.version, to: buffer)
            } catch {
                throw DatabaseError(
                    .encodingFailed, "the record \(record.key.debugDescription) of \"\(binding.name)\" does not encode",
                    place: .init(collectionName: binding.name, key: record.key), cause: error)
            }
            buffer.withBytes { digest.add(UnsafeRawBufferPointer(rebasing: $0[start...])) }
            if buffer.count >= 32 << 10 {
                try check()
                bytes += UInt64(buffer.count)
                try append(buffer, lastFrom: start, record, of: binding, to: writer)
                buffer.removeAll()
            }
        }
        bytes += UInt64(buffer.count)
        try buffer.withBytes { try writer.append($0) }
        try writer.endSection(count: root.count, digest: digest.value)
        return bytes
    }

    /// Throws what is to go wrong with a record. Its object and its metadata are asked about, as in a write.
    private func checkFault(of record: RecordBox, in binding: CollectionBinding) throws {
        guard let encodingFault else { return }
        for _ in 0..<(binding.hasMetadata(record) ? 2 : 1) {
            if let fault = encodingFault(binding.name, record.key) { throw fault }
        }
    }

    /// Hands over the items of a buffer. Those before the last one go ahead of it where all together are more than the writer
    /// takes at once.
    ///
    /// - Throws: what the writer throws; `overLimit` with the key of the last one if that alone is more: a write takes no such
    ///   record, but what it has may grow where it is migrated, or where nothing was encoded.
    private func append(
        _ buffer: CBORWriter, lastFrom start: Int, _ last: RecordBox, of binding: CollectionBinding,
        to writer: CheckpointWriter
    ) throws {
        let most = writer.itemBytesMax
        if buffer.count - start > most {
            throw DatabaseError(
                .overLimit,
                """
                the record \(last.key.debugDescription) of "\(binding.name)" has \(buffer.count - start) bytes, \
                \(most) are what a checkpoint takes. Split it.
                """,
                place: .init(collectionName: binding.name, key: last.key))
        }
        let cut = buffer.count > most ? start : 0
        try buffer.withBytes { bytes in
            if cut > 0 { try writer.append(UnsafeRawBufferPointer(rebasing: bytes[..<cut])) }
            try writer.append(UnsafeRawBufferPointer(rebasing: bytes[cut...]))
        }
    }

    private func writeRoot(_ entry: ExtensionEntry, to writer: CheckpointWriter) throws -> UInt64 {
        let registration = entry.registration
        let tag = registration.versionTag(of: entry.root)
        if registration.isPrimary {
            guard let root = try registration.encode(entry.root, in: state) else { return 0 }
            return try writeBytes(root, .primaryRoot, registration.name, .ofPrimary(tag: tag), to: writer)
        }
        // One that has not followed these records, or does not encode, is computed when it is registered.
        guard !state.isAheadOfExtensions, !entry.isBehind,
            let root = try? registration.encode(entry.root, in: state)
        else { return 0 }
        // Written whatever it lacks: readers without the program's code show a view as the program had it.
        let info = SectionInfo.ofDerived(tag: tag, isForReaders: !state.isBound(for: registration))
        return try writeBytes(root, .derivedRoot, registration.name, info, to: writer)
    }

    private func writeShelved(_ name: String, _ item: ExtensionShelf.Item, to writer: CheckpointWriter) throws -> UInt64
    {
        let info = SectionInfo.ofPrimary(tag: item.versionTag)
        var bytes: UInt64 = 0
        if let root = item.bytes {
            bytes += try writeBytes(root, .primaryRoot, name, info, to: writer)
        }
        if !item.steps.isEmpty {
            try begin(.primarySteps, name, info, writer)
            for step in item.steps {
                try writer.append(step)
                bytes += UInt64(step.count)
            }
            try writer.endSection(count: item.steps.count, digest: 0)
        }
        return bytes
    }

    private func writeBytes(
        _ bytes: [UInt8], _ kind: SectionKind, _ name: String, _ info: SectionInfo, to writer: CheckpointWriter
    ) throws -> UInt64 {
        try begin(kind, name, info, writer)
        let piece = CBORWriter(capacity: 256 << 10)
        var count = 0
        var rest = bytes[...]
        repeat {
            let part = rest.prefix(256 << 10)
            rest = rest.dropFirst(part.count)
            piece.removeAll()
            part.withUnsafeBytes { piece.write(bytes: $0) }
            try piece.withBytes { try writer.append($0) }
            count += 1
        } while !rest.isEmpty
        try writer.endSection(count: count, digest: 0)
        return UInt64(bytes.count)
    }

    private func begin(
        _ kind: SectionKind, _ name: String, _ info: SectionInfo, _ writer: CheckpointWriter
    ) throws {
        try writer.beginSection(kind: kind.rawValue, name: name, info: info.bytes, asOf: state.number)
    }
}

/// A digest of a collection's records, the same in whatever order they come and however their tree is laid out: the sum
/// of the XXH64 of each record's item.
package struct StateDigest: Sendable, Hashable {
    package private(set) var value: UInt64 = 0
    package init() {}
    package mutating func add(_ item: UnsafeRawBufferPointer) { value &+= XXH64.hash(item, seed: 0) }
}
