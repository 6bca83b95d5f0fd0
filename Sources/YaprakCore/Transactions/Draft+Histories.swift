extension Draft {
    /// What this commit did to the extensions that log it, compared with what the log has of them.
    ///
    /// Computed from the two roots and not from notes, so that it is what a reader has to do to the one to get the other.
    func histories() -> [ExtensionHistory] {
        var histories: [ExtensionHistory] = []
        for index in extensions.indices {
            let entry = extensions[index]
            guard entry.registration.logsHistory else { continue }
            let before = base.entry(of: entry.registration, at: index)
            let logged = before?.isInLog == true ? before?.root : nil
            var item = (try? entry.registration.historyItem(from: logged, to: entry.root)) ?? .unknown
            if case .changed(let bytes) = item, bytes.count > ExtensionHistory.bytesMax { item = .unknown }
            histories.append(
                ExtensionHistory(
                    name: entry.name, versionTag: entry.registration.versionTag(of: entry.root), item: item))
            extensions[index].isInLog = true
        }
        return histories
    }
}

extension SnapshotState {
    /// The entry of a registration, which nearly always stands at `index`, where a later state has it.
    fileprivate func entry(of registration: ExtensionRegistration, at index: Int) -> ExtensionEntry? {
        if index < extensions.count, extensions[index].registration === registration { return extensions[index] }
        return extensions.first { $0.registration === registration }
    }
}
