import YaprakTrees

/// What the log says of one record, over what the checkpoint says.
struct LateRow {
    /// Whether nothing of what the checkpoint says counts any more.
    private(set) var isNew: Bool
    /// The object, if it was written.
    private(set) var object: ArraySlice<UInt8>?
    /// The version of the form that the object was written in.
    private(set) var version = 0
    /// The metadata, if it was written, also where it was written to be none.
    private(set) var metadata: ArraySlice<UInt8>??
    private var kinds: ChangeKinds = []

    init(isNew: Bool = false) { self.isNew = isNew }

    /// Adds what happened next.
    ///
    /// - Parameters:
    ///   - object: the object, if it was written, in the form of `version`.
    ///   - metadata: the metadata, if it was written, also where it was written to be none.
    mutating func add(
        _ kinds: ChangeKinds, object: ArraySlice<UInt8>?, metadata: ArraySlice<UInt8>??, version: Int
    ) {
        self.kinds.formUnion(kinds)
        if let object {
            self.object = object
            self.version = version
        }
        if let metadata { self.metadata = .some(metadata) }
    }

    /// When the object was last written: with the checkpoint, or since.
    func objectStamp(over old: RecordBox?, _ stamp: UInt64) -> UInt64 {
        guard let old, !isNew, kinds.isDisjoint(with: [.inserted, .objectChanged]) else { return stamp }
        return old.objectStamp
    }

    /// When the metadata was last written.
    func metadataStamp(over old: RecordBox?, _ stamp: UInt64) -> UInt64 {
        guard let old, !isNew, kinds.isDisjoint(with: [.inserted, .metadataChanged]) else { return stamp }
        return old.metadataStamp
    }

    /// The record as bytes; `nil` if there is none.
    func record(_ key: String, over old: RawRecord?, stamp: UInt64) -> RawRecord? {
        let kept = isNew ? nil : old
        guard let bytes = object ?? kept?.object else { return nil }
        return RawRecord(
            key: old?.key ?? key, object: bytes, metadata: metadata ?? kept?.metadata,
            version: object == nil ? kept?.version ?? version : version,
            objectStamp: objectStamp(over: old, stamp), metadataStamp: metadataStamp(over: old, stamp))
    }
}
