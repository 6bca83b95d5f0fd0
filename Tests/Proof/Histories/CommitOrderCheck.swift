/// The check from inside: every transaction knows its commit, so the order is known, and each read is right or wrong.
///
/// Linear, and stricter than a search for circles: no read is left without a verdict.
package struct CommitOrderCheck {
    /// What is wrong first, with the transaction; nil if nothing is.
    package static func failure(in history: History) -> String? {
        var byCommit: [(commit: Int, index: Int)] = []
        for (index, transaction) in history.transactions.enumerated() where transaction.outcome == .committed {
            guard transaction.commit >= 0 else { return "transaction \(index) has no commit" }
            byCommit.append((transaction.commit, index))
        }
        // A read comes after the commit it read, whatever the order of their indices.
        byCommit.sort { a, b in
            let (first, second) = (history.transactions[a.index], history.transactions[b.index])
            if a.commit != b.commit { return a.commit < b.commit }
            if first.isUpdate != second.isUpdate { return first.isUpdate }
            return a.index < b.index
        }
        var lists: [Int32: [Int32]] = [:]
        var registers: [Int32: Int32] = [:]
        var lastUpdate = -1
        for (commit, index) in byCommit {
            let transaction = history.transactions[index]
            if transaction.isUpdate {
                if commit == lastUpdate { return "commit \(commit) was made twice, by transaction \(index), too" }
                lastUpdate = commit
            }
            for operation in history.operations[transaction.operations] {
                switch operation.kind {
                case .append: lists[operation.key, default: []].append(operation.value)
                case .write: registers[operation.key] = operation.value
                case .readList:
                    let seen = history.lists[operation.list]
                    if !seen.elementsEqual(lists[operation.key] ?? []) {
                        return "transaction \(index), commit \(commit), key \(operation.key): saw \(Array(seen))"
                    }
                case .read:
                    if operation.value != registers[operation.key] ?? 0 {
                        return "transaction \(index), commit \(commit), key \(operation.key): saw \(operation.value)"
                    }
                }
            }
        }
        return clockFailure(in: history)
    }

    /// Commits follow the clock: who began after another had ended saw it.
    private static func clockFailure(in history: History) -> String? {
        let committed = history.transactions.indices.filter { history.transactions[$0].outcome == .committed }
        let starts = committed.sorted { history.transactions[$0].start < history.transactions[$1].start }
        let ends = committed.sorted { history.transactions[$0].end < history.transactions[$1].end }
        var at = 0
        var newest = 0
        for index in starts {
            let transaction = history.transactions[index]
            while at < ends.count, history.transactions[ends[at]].end < transaction.start {
                newest = max(newest, history.transactions[ends[at]].commit)
                at += 1
            }
            if transaction.commit < newest + (transaction.isUpdate ? 1 : 0), newest > 0 {
                return
                    "transaction \(index) is commit \(transaction.commit), and \(newest) was acknowledged before it began"
            }
        }
        return nil
    }
}
