extension Draft {
    /// What this commit did to the extensions that log it, compared with what the log has of them.
    ///
    /// Computed from the two roots and not from notes, so that it is what a reader has to do to the one to get the other.
    func histories() -> [ExtensionHistory] {
        var histories: [ExtensionHistory] = []
        for index in extensions.indices {
            let entry = extensions[index]
            guard entry.registration.logsHistory else { continue }
            let logged = base.extensions.first { $0.registration === entry.registration && $0.isInLog }
            var item = (try? entry.registration.historyItem(from: logged?.root, to: entry.root)) ?? .unknown
            if case .changed(let bytes) = item, bytes.count > ExtensionHistory.bytesMax { item = .unknown }
            histories.append(
                ExtensionHistory(
                    name: entry.name, versionTag: entry.registration.versionTag(of: entry.root), item: item))
            extensions[index].isInLog = true
        }
        return histories
    }
}
