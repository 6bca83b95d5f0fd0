/// Descriptions of errors without the values of records that the errors carry.
///
/// `EncodingError.invalidValue` holds the whole value that failed to encode, a `DecodingError` may quote what it read, and an
/// error of the program's own prints its fields. None of that belongs in a log. Therefore:
///
/// - errors of the engine (``ErrorWithoutValues``) are printed as they are: they contain keys, names and offsets;
/// - `EncodingError` and `DecodingError` are printed as their kind, type and coding path; the sentence of the context is
///   printed only if our coder wrote it;
/// - of any other error, only the type and the case are printed.
package enum ErrorText {
    /// The description of `error` for a message or a line in a log.
    package static func of(_ error: any Error) -> String {
        switch error {
        case let error as EncodingError: words(error)
        case let error as DecodingError: words(error)
        case _ where isOurs(error): "\(error)"
        default: name(error)
        }
    }

    /// `error`; an `EncodingError` or `DecodingError` without its values.
    static func redacted(_ error: any Error) -> any Error {
        switch error {
        case let error as EncodingError: redacted(error)
        case let error as DecodingError: redacted(error)
        default: error
        }
    }

    // MARK: Errors of Codable

    private static func redacted(_ error: EncodingError) -> EncodingError {
        guard case .invalidValue(let value, let context) = error else {
            return .invalidValue(
                RedactedValue("unknown"), .init(codingPath: [], debugDescription: "The value does not encode."))
        }
        let shown = value as? RedactedValue ?? RedactedValue("\(type(of: value))")
        return .invalidValue(
            shown,
            .init(
                codingPath: context.codingPath,
                debugDescription: sentence(context.debugDescription, context.underlyingError)
                    ?? "The value does not encode.",
                underlyingError: underlying(context.underlyingError)))
    }

    private static func redacted(_ error: DecodingError) -> DecodingError {
        func context(_ context: DecodingError.Context, _ words: String) -> DecodingError.Context {
            .init(
                codingPath: context.codingPath,
                debugDescription: sentence(context.debugDescription, context.underlyingError) ?? words,
                underlyingError: underlying(context.underlyingError))
        }
        return switch error {
        case .typeMismatch(let type, let at): .typeMismatch(type, context(at, "The item is not of this type."))
        case .valueNotFound(let type, let at): .valueNotFound(type, context(at, "There is no value."))
        case .keyNotFound(let key, let at): .keyNotFound(key, context(at, "There is no such key."))
        case .dataCorrupted(let at): .dataCorrupted(context(at, "The data does not fit the type."))
        @unknown default: .dataCorrupted(.init(codingPath: [], debugDescription: "The data does not decode."))
        }
    }

    private static func words(_ error: EncodingError) -> String {
        guard case .invalidValue(let value, let context) = error else { return "The value does not encode." }
        let shown = (value as? RedactedValue)?.type ?? "\(type(of: value))"
        return "a value of type \(shown)" + place(context.codingPath) + ": "
            + (sentence(context.debugDescription, context.underlyingError) ?? "The value does not encode.")
    }

    private static func words(_ error: DecodingError) -> String {
        func tail(_ context: DecodingError.Context) -> String {
            place(context.codingPath)
                + (sentence(context.debugDescription, context.underlyingError).map { ": \($0)" } ?? "")
        }
        return switch error {
        case .typeMismatch(let type, let context): "no value of type \(type)" + tail(context)
        case .valueNotFound(let type, let context): "nothing where a value of type \(type) is needed" + tail(context)
        case .keyNotFound(let key, let context): "no key \(key.stringValue.debugDescription)" + tail(context)
        case .dataCorrupted(let context): "data that does not fit the type" + tail(context)
        @unknown default: "data that does not decode"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "" }
        // The innermost keys say where it is; a recursive record has hundreds.
        let keys = path.suffix(8).map { key in
            key.intValue.map { "[\($0)]" } ?? (key.stringValue.isEmpty ? "\"\"" : key.stringValue)
        }
        return " at \(path.count > 8 ? "…." : "")\(keys.joined(separator: "."))"
    }

    /// The sentence of a context if our coder wrote it: its contexts have one of our errors as the underlying error.
    private static func sentence(_ text: String, _ underlying: (any Error)?) -> String? {
        guard let error = underlying as? any ErrorWithoutValues, let sentence = error.codingSentence else { return nil }
        let description = "\(error)"
        return text == sentence || text == description ? text : description
    }

    private static func underlying(_ error: (any Error)?) -> (any Error)? {
        guard let error else { return nil }
        if isOurs(error) { return error }
        if error is EncodingError || error is DecodingError { return redacted(error) }
        return nil
    }

    // MARK: Other errors

    private static func isOurs(_ error: any Error) -> Bool {
        error is any ErrorWithoutValues || error is CancellationError
    }

    /// The type of an error, and its case where it is an enumeration's.
    private static func name(_ error: any Error) -> String {
        let type = "\(type(of: error))"
        if error is any CustomReflectable { return type }
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else { return type }
        if let label = mirror.children.first?.label { return "\(type).\(label)" }
        // A case without values has none to print.
        return mirror.children.isEmpty ? "\(type).\(error)" : type
    }
}

/// Replaces a value in an error.
struct RedactedValue: Sendable, CustomStringConvertible {
    /// The type of the value.
    let type: String

    init(_ type: String) { self.type = type }

    var description: String { "<a value of type \(type)>" }
}
