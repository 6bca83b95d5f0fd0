/// Bytes of another program's format that can't be read.
///
///     do { _ = try CBORValue(propertyList: bytes) } catch { print(error) }
///     // malformed: the table of offsets does not fit into the bytes
///
/// The text contains kinds, counts and offsets, and never stored values.
public struct ForeignDataError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong. The set is open: later versions may add to it.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name.
        public let rawValue: String
        /// A code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The stable name.
        public var description: String { rawValue }
    }

    /// What is wrong.
    public let code: Code
    /// What was found: a clause in lower case, without a period.
    public let message: String

    /// An error with what was found.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// `code: message`.
    public var description: String { "\(code): \(message)" }
}

extension ForeignDataError.Code {
    /// The bytes are not in the form that they should be in.
    public static let malformed = Self(rawValue: "malformed")
    /// The value holds itself. A record is a tree of values and can't.
    public static let cyclic = Self(rawValue: "cyclic")
    /// The value would be larger, or nested deeper, than a record may be.
    public static let overLimit = Self(rawValue: "overLimit")
}

extension ForeignDataError {
    static func malformed(_ message: String) -> ForeignDataError { ForeignDataError(.malformed, message) }
}
