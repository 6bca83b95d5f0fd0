import Yaprak
import YaprakCBOR
import YaprakReplay

/// Which commit set which field of a record, from its revisions, the oldest first.
struct FieldBlame {
    /// A field of the record, and the commit that set it; `nil` if that was before the log begins.
    struct Line {
        /// Where the field is in the object, or in the metadata.
        let field: FieldPath
        let isMetadata: Bool
        let value: CBORValue
        let commit: ReplayCommit?

        private static let metadata = "$metadata"

        /// Where the field is, as text; the object as a whole is a dot.
        var path: String {
            let path = field.description
            guard isMetadata else { return path.isEmpty ? "." : path }
            return Self.metadata + (path.isEmpty || path.hasPrefix("[") ? "" : ".") + path
        }

        /// Whether this is the field with a path, or inside of it.
        func isWithin(_ path: String) -> Bool {
            if isMetadata { return FieldBlame.isWithin(path, field, behind: Self.metadata) }
            return field.steps.isEmpty ? path == "." : FieldBlame.isWithin(path, field)
        }
    }

    private var object = FieldSettings()
    private var metadata = FieldSettings()

    mutating func add(_ revision: ReplayRevision) {
        if revision.before == nil || revision.after == nil { self = FieldBlame() }
        guard let after = revision.after else { return }
        // A field that was taken out, too: its container is all that is left if it was the last one.
        object.add(FieldChanges(from: revision.before?.object, to: after.object), by: revision.commit)
        metadata.add(FieldChanges(from: revision.before?.metadata, to: after.metadata), by: revision.commit)
    }

    /// The fields of the record that have no fields themselves, in its order; then those of its metadata.
    func lines(of record: ReplayRecord) -> Lines {
        var parts = [Lines.Part(leaves: FieldLeaves(of: record.object), settings: object, isMetadata: false)]
        if let value = record.metadata {
            parts.append(Lines.Part(leaves: FieldLeaves(of: value), settings: metadata, isMetadata: true))
        }
        return Lines(parts: parts[...])
    }

    /// The lines of a record, one after the other.
    struct Lines: Sequence, IteratorProtocol {
        fileprivate struct Part {
            var leaves: FieldLeaves
            var settings: FieldSettings
            let isMetadata: Bool
        }

        fileprivate var parts: ArraySlice<Part>

        mutating func next() -> Line? {
            while !parts.isEmpty {
                let first = parts.startIndex
                if let leaf = parts[first].leaves.next() {
                    return Line(
                        field: leaf.path, isMetadata: parts[first].isMetadata, value: leaf.value,
                        commit: parts[first].settings.commit(of: leaf.path))
                }
                parts.removeFirst()
            }
            return nil
        }
    }

    /// Whether a field is the one with a path, or inside of it.
    ///
    /// Step by step: of a field elsewhere no path is written out, which may have megabytes.
    ///
    /// - Parameter root: what paths begin with.
    static func isWithin(_ path: String, _ field: FieldPath, behind root: String = "") -> Bool {
        guard path.hasPrefix(root) else { return false }
        var rest = path.dropFirst(root.count), isFirst = root.isEmpty
        for step in field.steps {
            if rest.isEmpty, !isFirst { return true }
            // Letters and their marks in one code point, or in several, have at most three times as many bytes.
            if case .key(.text(let key)) = step, key.utf8.count > 3 * rest.utf8.count { return false }
            let name = FieldPath([step]).description
            let part = isFirst || name.hasPrefix("[") ? name : "." + name
            guard rest.hasPrefix(part) else { return false }
            rest = rest.dropFirst(part.count)
            isFirst = false
        }
        return rest.isEmpty
    }
}
