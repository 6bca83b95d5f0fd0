/// A derived extension that has each commit say what it did to the root, so that programs without its code can follow it.
///
/// A launch needs none of it: it takes the root from a checkpoint and computes the rest, as for every derived extension.
package protocol HistoryLogging: DatabaseExtension {
    /// Whether it does.
    var logsHistory: Bool { get }

    /// What leads from one root to a later one, in a form that needs no code of the extension.
    ///
    /// - Parameter before: the root as the log has it; `nil` if the log does not.
    /// - Throws: anything; the commit is then logged without it.
    func historyItem(from before: Root?, to after: Root) throws -> HistoryItem
}

/// What a commit says of an extension.
package enum HistoryItem: Sendable {
    /// The commit did nothing to it.
    case unchanged
    /// One CBOR item.
    case changed([UInt8])
    /// More than should be said in a commit. Readers lose sight of it until the next checkpoint.
    case unknown
}

/// What a commit says of one extension, on its way to the log.
struct ExtensionHistory {
    var name: String
    var versionTag: String
    var item: HistoryItem

    /// The most bytes that a commit spends on one extension.
    static let bytesMax = 32 << 20
}
