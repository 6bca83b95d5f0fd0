/// An error whose description names keys, names and offsets, and never the value of a record.
///
/// ``ErrorText`` prints these as they are. Each layer conforms the errors it throws.
package protocol ErrorWithoutValues: Error {
    /// What a coder puts into the context of an `EncodingError` or a `DecodingError` that has this error underneath; nil for
    /// errors that no coder throws.
    var codingSentence: String? { get }
}

extension ErrorWithoutValues {
    package var codingSentence: String? { nil }
}
