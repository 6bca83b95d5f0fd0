/// Says in which field a record does not fit its type, and what is there.
enum SchemaMismatch {
    /// `the field "stops[2].name" is no String: …`
    static func text(of error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let type, let context):
            "\(field(context.codingPath)) is no \(type) (\(context.debugDescription))"
        case .valueNotFound(let type, let context): "\(field(context.codingPath)) is null, and has to be a \(type)"
        case .keyNotFound(let key, let context): "\(field(context.codingPath + [key])) is missing"
        case .dataCorrupted(let context): "\(field(context.codingPath)): \(context.debugDescription)"
        @unknown default: "\(error)"
        }
    }

    private static func field(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "the record" }
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return "the field \(text.debugDescription)"
    }
}
