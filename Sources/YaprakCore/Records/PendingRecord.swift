import YaprakTrees

/// Logged operations on one record, to be merged into what is stored of it.
///
///     let pending = PendingRecord(operation, version)
///     let after = pending.record(key, over: before, stamp: draft.stamp)
///
/// An operation has the parts of a record that it wrote. What it does not have stays as it was.
package struct PendingRecord {
    /// Whether nothing of what is stored counts any more: the record was removed before.
    private(set) var isNew: Bool
    /// The object, if it was written.
    private(set) var object: ArraySlice<UInt8>?
    /// The version of the form that the object was written in.
    private(set) var version = 0
    /// Whether the metadata was written, also if it was written to be none.
    private(set) var setsMetadata = false
    /// The metadata that was written.
    private(set) var metadata: ArraySlice<UInt8>?
    private var kinds: ChangeKinds = []

    init(isNew: Bool = false) { self.isNew = isNew }

    /// Adds what happened next.
    ///
    /// - Parameters:
    ///   - object: the object, if it was written, in the form of `version`.
    ///   - setsMetadata: whether the metadata was written, also if it was written to be none.
    @inline(__always)
    mutating func add(
        _ kinds: ChangeKinds, object: ArraySlice<UInt8>?, setsMetadata: Bool, metadata: ArraySlice<UInt8>?, version: Int
    ) {
        self.kinds.formUnion(kinds)
        if let object {
            self.object = object
            self.version = version
        }
        if setsMetadata {
            self.setsMetadata = true
            self.metadata = metadata
        }
    }

    /// When the object was last written: with the checkpoint, or since.
    @inline(__always)
    func objectStamp(over old: RecordBox?, _ stamp: UInt64) -> UInt64 {
        guard let old, !isNew, kinds.isDisjoint(with: [.inserted, .objectChanged]) else { return stamp }
        return old.objectStamp
    }

    /// When the metadata was last written.
    @inline(__always)
    func metadataStamp(over old: RecordBox?, _ stamp: UInt64) -> UInt64 {
        guard let old, !isNew, kinds.isDisjoint(with: [.inserted, .metadataChanged]) else { return stamp }
        return old.metadataStamp
    }

    /// The record as bytes; `nil` if there is none.
    /// - Parameters:
    ///   - old: what is stored.
    ///   - stamp: the stamp of parts that were written.
    @inline(__always)
    package func record(_ key: String, over old: RawRecord?, stamp: UInt64) -> RawRecord? {
        record(key, over: old, stamp: stamp) { unsafeDowncast($0, to: RawRecord.self) }
    }

    /// The record as bytes; `nil` if there is none.
    /// - Parameter bytes: what is stored as bytes. Called only if some of it stays.
    @inline(__always)
    func record(
        _ key: String, over old: RecordBox?, stamp: UInt64, bytes: (RecordBox) throws -> RawRecord
    ) rethrows -> RawRecord? {
        let kept = isNew || (object != nil && setsMetadata) ? nil : try old.map(bytes)
        guard let object = object ?? kept?.object else { return nil }
        return RawRecord(
            key: old?.key ?? key, object: object, metadata: setsMetadata ? metadata : kept?.metadata,
            version: self.object == nil ? kept?.version ?? version : version,
            objectStamp: objectStamp(over: old, stamp), metadataStamp: metadataStamp(over: old, stamp))
    }
}
