import YaprakCore

/// The records of the log and those of a snapshot in one form.
final class PresentRecords {
    private let snapshot: Snapshot
    private var forms: [String: PresentForm] = [:]

    init(in snapshot: Snapshot) { self.snapshot = snapshot }

    /// A record of the log.
    func form(_ record: ReplayRecord?, in collection: String) -> ReplayRecord? {
        record.map { ReplayRecord(of(collection).form(RawRecord($0))) }
    }

    /// A record of the snapshot, also one that was set aside; `nil` if there is none.
    func now(_ key: String, in collection: String) -> ReplayRecord? { of(collection)[key].map { ReplayRecord($0) } }

    private func of(_ collection: String) -> PresentForm {
        if let known = forms[collection] { return known }
        let form = PresentForm(of: collection, in: snapshot)
        forms[collection] = form
        return form
    }
}

extension RawRecord {
    fileprivate convenience init(_ record: ReplayRecord) {
        self.init(key: record.key, object: record.objectBytes, metadata: record.metadataBytes, version: record.version)
    }
}
