import YaprakCBOR
package import YaprakCore

extension AutoView: HistoryLogging {
    package var logsHistory: Bool { persistence == .everyCommit }

    package func historyItem(from before: ViewRoot?, to after: ViewRoot) throws -> HistoryItem {
        guard let history = ViewHistory(from: before, to: after) else { return .unchanged }
        return .changed(try CBOREncoder().encode(history))
    }
}
