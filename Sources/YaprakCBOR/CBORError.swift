/// An error in bytes that should be CBOR, or in a value that should become CBOR.
///
/// The low-level API (``CBORItem``, ``CBORValue``) throws this type. ``CBORDecoder`` and ``CBOREncoder`` throw Swift's
/// `DecodingError` and `EncodingError`, as every coder does, with the coding path in the context. If the bytes are at
/// fault, this error is the underlying error.
///
///     do { _ = try CBORItem.length(of: bytes, from: 0) } catch { print(error) }
///     // truncated: the bytes end inside an item, at byte 17
///
/// The text contains kinds, counts and offsets, and never stored values.
public struct CBORError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of damage. The set is open: later versions may add to it.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name.
        public let rawValue: String
        /// A code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The stable name.
        public var description: String { rawValue }
    }

    /// The kind of damage.
    public let code: Code
    /// What was found: a clause in lower case, without a period.
    public let message: String
    /// The offset of the byte, from the start of the input.
    public let offset: Int?

    /// An error with its place.
    public init(_ code: Code, _ message: String, offset: Int? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    /// The error of the low level underneath one of a coder, or `nil`.
    package init?(under error: any Error) {
        let cause: (any Error)? =
            switch error {
            case EncodingError.invalidValue(_, let context): context.underlyingError
            case DecodingError.dataCorrupted(let context): context.underlyingError
            default: error
            }
        guard let cause = cause as? CBORError else { return nil }
        self = cause
    }

    /// `code: message, at byte offset`.
    public var description: String {
        guard let offset else { return "\(code): \(message)" }
        return "\(code): \(message), at byte \(offset)"
    }
}

extension CBORError.Code {
    /// The bytes end inside an item.
    public static let truncated = Self(rawValue: "truncated")
    /// The bytes are not well-formed CBOR (RFC 8949 §5.3.1 and appendix F).
    public static let malformed = Self(rawValue: "malformed")
    /// Items are nested deeper than the limit.
    public static let tooDeep = Self(rawValue: "tooDeep")
    /// A text string is not UTF-8.
    public static let invalidText = Self(rawValue: "invalidText")
    /// A map has a duplicate key.
    public static let duplicateKey = Self(rawValue: "duplicateKey")
    /// Bytes follow the item where nothing should.
    public static let trailingBytes = Self(rawValue: "trailingBytes")
    /// The item does not have the requested type.
    public static let wrongType = Self(rawValue: "wrongType")
    /// A number does not fit in the requested type.
    public static let outOfRange = Self(rawValue: "outOfRange")
    /// The input is larger than a decoder accepts (4 GiB).
    public static let overLimit = Self(rawValue: "overLimit")
    /// A type's `encode(to:)` used its encoder incorrectly.
    public static let misuse = Self(rawValue: "misuse")
}

// The errors are made out of line, so that the paths without errors stay small.
extension CBORError {
    @inline(never) static func truncated(_ offset: Int) -> CBORError {
        CBORError(.truncated, "the bytes end inside an item", offset: offset)
    }
    @inline(never) static func malformed(_ message: String, _ offset: Int) -> CBORError {
        CBORError(.malformed, message, offset: offset)
    }
    @inline(never) static func wrongType(_ wanted: String, _ offset: Int) -> CBORError {
        CBORError(.wrongType, "the item is not \(wanted)", offset: offset)
    }
    @inline(never) static func outOfRange(_ message: String, _ offset: Int?) -> CBORError {
        CBORError(.outOfRange, message, offset: offset)
    }
    @inline(never) static func invalidText(_ offset: Int) -> CBORError {
        CBORError(.invalidText, "a text string is not UTF-8", offset: offset)
    }
}
