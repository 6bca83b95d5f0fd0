import Yaprak
import YaprakCBOR
import YaprakReplay

/// Which commit set which field of a record, from its revisions, the oldest first.
struct FieldBlame {
    /// A field of the record, and the commit that set it; `nil` if that was before the log begins.
    struct Line {
        let path: String
        let value: CBORValue
        let commit: ReplayCommit?
    }

    /// Where something was set or taken out, in the order of the commits; "" is the whole object.
    private var settings: [(path: String, commit: ReplayCommit)] = []

    private static let metadata = "$metadata"

    mutating func add(_ revision: ReplayRevision) {
        guard let after = revision.after else { return settings = [] }
        if revision.before == nil { settings = [] }
        // A field that was taken out, too: its container is all that is left if it was the last one.
        for change in FieldChange.between(revision.before?.object, after.object) {
            settings.append((change.path, revision.commit))
        }
        for change in FieldChange.between(revision.before?.metadata, after.metadata) {
            settings.append((Self.metadata + Self.joint(change.path) + change.path, revision.commit))
        }
    }

    /// The fields of the record that have no fields themselves, in its order; then those of its metadata.
    func lines(of record: ReplayRecord) -> [Line] {
        let fields =
            Self.leaves(of: record.object, "") + (record.metadata.map { Self.leaves(of: $0, Self.metadata) } ?? [])
        return fields.map { path, value in
            Line(
                path: path.isEmpty ? "." : path, value: value,
                commit: settings.last { Self.covers($0.path, path) }?.commit)
        }
    }

    /// Whether a path is a field, or inside of it.
    static func isWithin(_ field: String, _ path: String) -> Bool {
        path.hasPrefix(field) && (path.count == field.count || [".", "["].contains(path.dropFirst(field.count).first))
    }

    /// Whether setting one path set the other: it is the same, or one of the two is inside of the other.
    private static func covers(_ set: String, _ path: String) -> Bool {
        let isMetadata = path.hasPrefix(metadata)
        if set.isEmpty { return !isMetadata }
        if path.isEmpty { return !set.hasPrefix(metadata) }
        return isWithin(set, path) || isWithin(path, set)
    }

    private static func joint(_ path: String) -> String { path.isEmpty || path.hasPrefix("[") ? "" : "." }

    /// The values that have no parts, with their paths.
    ///
    /// Without recursion: a record may nest deeper than the stack of a thread reaches.
    static func leaves(of value: CBORValue, _ path: String) -> [(path: String, value: CBORValue)] {
        var leaves: [(path: String, value: CBORValue)] = [], rest = [(path: path, value: value)]
        while let (path, value) = rest.popLast() {
            // What becomes of nothing when it becomes the value: one change for each field, at this level alone.
            let parts = emptied(value).map { FieldChange.between($0, value) } ?? []
            if parts.isEmpty { leaves.append((path, value)) }
            for part in parts.reversed() {
                guard let inner = part.after else { continue }
                rest.append((path + joint(path.isEmpty ? "" : part.path) + part.path, inner))
            }
        }
        return leaves
    }

    /// The same container without its contents; `nil` for what is none.
    private static func emptied(_ value: CBORValue) -> CBORValue? {
        switch value {
        case .map: .map([])
        case .array: .array([])
        default: nil
        }
    }
}
