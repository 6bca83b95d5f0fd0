package import YaprakCore

/// The records of a dump, those of a collection together: what a database in memory is made of.
package struct RecordsByCollection {
    /// The collections in the order in which their first records came.
    package private(set) var all: [(name: String, records: [RawRecord])] = []
    /// Where each collection is in it.
    private var places: [String: Int] = [:]

    /// No records.
    package init() {}

    /// Adds a record. O(1) on average.
    package mutating func append(_ record: ReplayDumpRecord) {
        let place = places[record.collectionName] ?? all.count
        if place == all.count {
            places[record.collectionName] = place
            all.append((record.collectionName, []))
        }
        all[place].records.append(
            RawRecord(
                key: record.key, object: record.object[...], metadata: record.metadata.map { $0[...] },
                version: record.version))
    }
}
