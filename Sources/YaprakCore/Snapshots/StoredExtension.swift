/// The state of an extension as files have it, for the time when it is registered.
package struct StoredExtension: Sendable {
    package var versionTag: String
    package var isPrimary: Bool
    /// Whether the root, a derived one, is there for readers without the extension's code alone: it lacks records, or the tag is
    /// not the whole one. No database adopts it.
    package var isForReaders: Bool
    /// The encoded root; `nil` if the extension's steps are all there is.
    package var bytes: [UInt8]?
    /// Steps that were logged after the root was encoded.
    package var steps: [[UInt8]]

    package init(
        versionTag: String, isPrimary: Bool, isForReaders: Bool = false, bytes: [UInt8]? = nil,
        steps: [[UInt8]] = []
    ) {
        self.versionTag = versionTag
        self.isPrimary = isPrimary
        self.isForReaders = isForReaders
        self.bytes = bytes
        self.steps = steps
    }
}
