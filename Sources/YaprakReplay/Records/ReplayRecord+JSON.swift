public import YaprakCBOR

// The JSON of the command-line tool and of the inspector. `CBORValue` writes it: `change.json.json()`.

extension FieldChange {
    /// `{"field": ["stops", 2, "name"], "path": "stops[2].name", "before": …, "after": …}`; a side on which the field is not
    /// there is left out.
    public var json: CBORValue {
        var pairs: [CBORValue.Pair] = [.init("field", field.json), .init("path", .text(path))]
        if let before { pairs.append(.init("before", before)) }
        if let after { pairs.append(.init("after", after)) }
        return .map(pairs)
    }
}

extension ReplayRecord {
    /// `{"key": …, "object": …, "metadata": …}`; metadata only where there is any.
    public var json: CBORValue {
        var pairs: [CBORValue.Pair] = [.init("key", .text(key)), .init("object", object)]
        if let metadata { pairs.append(.init("metadata", metadata)) }
        return .map(pairs)
    }

    /// The fields in which two records differ; metadata is a field of its own. O(size of both).
    public static func fields(from before: ReplayRecord?, to after: ReplayRecord?) -> [FieldChange] {
        Array(FieldChanges(from: before, to: after))
    }
}
