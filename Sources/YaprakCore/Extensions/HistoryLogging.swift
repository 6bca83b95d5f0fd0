/// A derived extension that has each commit say what it did to the root, so that programs without its code can follow it.
///
/// A launch needs none of it: it takes the root from a checkpoint and computes the rest, as for every derived extension.
package protocol HistoryLogging: DatabaseExtension {
    /// Whether it does.
    var logsHistory: Bool { get }

    /// What leads from one root to a later one, in a form that needs no code of the extension.
    ///
    /// - Parameter before: the root as the log has told of it; `nil` if it has not.
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

extension Draft {
    /// What this commit did to the extensions that tell it, compared with what the log has told of them.
    ///
    /// Computed from the two roots and not from notes, so that it is what a reader has to do to the one to get the other.
    func histories() -> [ExtensionHistory] {
        var histories: [ExtensionHistory] = []
        for index in extensions.indices {
            let entry = extensions[index]
            guard entry.registration.logsHistory else { continue }
            let told = base.extensions.first { $0.registration === entry.registration && $0.isInLog }
            var item = (try? entry.registration.historyItem(from: told?.root, to: entry.root)) ?? .unknown
            if case .changed(let bytes) = item, bytes.count > ExtensionHistory.bytesMax { item = .unknown }
            histories.append(
                ExtensionHistory(
                    name: entry.name, versionTag: entry.registration.versionTag(of: entry.root), item: item))
            extensions[index].isInLog = true
        }
        return histories
    }
}
