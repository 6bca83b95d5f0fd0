internal import YaprakCBOR
internal import YaprakReplay

/// Records as lines that a person reads: what reports, comparisons and snapshots of databases show.
enum RecordText {
    /// A value in diagnostic notation, which is JSON as long as the value is.
    static func value(_ value: CBORValue) -> String { value.diagnostic() }

    /// A key as it stands: plain where it is a word, quoted where it could be misread.
    static func key(_ key: String) -> String {
        let isPlain = !key.isEmpty && key.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || isPlainMark($0) }
        return isPlain ? key : CBORValue.text(key).diagnostic()
    }

    private static func isPlainMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.numericType != nil || "-_./@+".unicodeScalars.contains(scalar)
    }

    /// The whole record on one line.
    static func line(_ record: ReplayRecord) -> String {
        let metadata = record.metadata.map { ", metadata: \(value($0))" } ?? ""
        return "\(key(record.key)): \(value(record.object))\(metadata)"
    }

    /// The record with a line for each field.
    static func fields(of record: ReplayRecord, indentation: String) -> [String] {
        var lines: [String] = []
        if let pairs = record.object.map, !pairs.isEmpty {
            lines.append("\(indentation)\(key(record.key))")
            for pair in pairs {
                let name = pair.key.text.map { key($0) } ?? value(pair.key)
                lines.append("\(indentation)  \(name): \(value(pair.value))")
            }
        } else {
            lines.append("\(indentation)\(key(record.key)): \(value(record.object))")
        }
        if let metadata = record.metadata { lines.append("\(indentation)  (metadata): \(value(metadata))") }
        return lines
    }

    /// What differs between two forms of a record: a line for each field.
    static func changes(from before: ReplayRecord, to after: ReplayRecord) -> [String] {
        let object = FieldChange.between(before.object, after.object).map { line($0, "") }
        let metadata = FieldChange.between(before.metadata, after.metadata).map { line($0, "(metadata)") }
        let version = before.version == after.version ? [] : ["(version): \(before.version) → \(after.version)"]
        return object + metadata + version
    }

    private static func line(_ change: FieldChange, _ part: String) -> String {
        let path = [part, change.path].filter { !$0.isEmpty }.joined(separator: " ")
        let before = change.before.map(value) ?? "(none)"
        let after = change.after.map(value) ?? "(none)"
        return "\(path.isEmpty ? "value" : path): \(before) → \(after)"
    }

    /// The records that differ, grouped by collection: added, removed, changed field by field.
    static func lines(of changes: some Sequence<ReplayChange>) -> [String] {
        var lines: [String] = []
        var collection: String?
        for change in changes {
            if change.collectionName != collection {
                collection = change.collectionName
                lines.append(key(change.collectionName))
            }
            switch (change.before, change.after) {
            case (nil, let after?): lines.append("  + \(line(after))")
            case (let before?, nil): lines.append("  - \(line(before))")
            case (let before?, let after?):
                let fields = self.changes(from: before, to: after)
                if fields.count == 1 {
                    lines.append("  ~ \(key(change.key)): \(fields[0])")
                } else {
                    // Nothing but a touch, if there is no field.
                    lines.append("  ~ \(key(change.key))" + (fields.isEmpty ? " (touched)" : ""))
                    lines += fields.map { "      \($0)" }
                }
            case (nil, nil): break
            }
        }
        return lines
    }
}
