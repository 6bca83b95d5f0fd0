package import YaprakCore
import YaprakTrees

/// A column of an index without the types of its records: how its values are read and written.
///
/// A class, so that handing it on retains one object and not each closure.
package final class ColumnRule: @unchecked Sendable {
    // All is written before it is shared; that is the whole of the @unchecked.
    /// The property it is of; `nil` for a closure.
    package let path: (any AnyKeyPath & Sendable)?
    /// The property, if it is stored in the object and of one of the usual types.
    package let stored: StoredProperty?
    /// The part of a record that it reads.
    package let reads: Aspects
    package let type: IndexType
    package let isMultiple: Bool
    package private(set) var isDescending = false
    /// Writes the value of a record; of a column with several, each, and calls the closure behind it.
    let write: @Sendable (RecordBox, inout IndexKeyWriter, (inout IndexKeyWriter) -> Void) -> Void
    /// How the value is read; `nil` where closures do it.
    private let place: StoredColumn?
    private let writeByClosure: @Sendable (RecordBox, inout IndexKeyWriter) -> Void
    private let isSameByClosure: @Sendable (RecordBox, RecordBox) -> Bool

    init<Value: IndexColumnValue>(
        _: Value.Type, path: (any AnyKeyPath & Sendable)?, reads: Aspects,
        value: @escaping @Sendable (RecordBox) -> Value
    ) {
        self.path = path
        stored = nil
        place = nil
        self.reads = reads
        type = Value.columnType
        isMultiple = Value.isMultiple
        write = { value($0).forEachIndexed(&$1, $2) }
        writeByClosure = { value($0).forEachIndexed(&$1) { _ in } }
        isSameByClosure = { value($0).hasSameEntries(as: value($1)) }
    }

    /// Writes the only value of a record.
    func writeOne(_ record: RecordBox, _ writer: inout IndexKeyWriter) {
        if let place { place.write(record, &writer) } else { writeByClosure(record, &writer) }
    }

    /// Whether two records have the same values for sure. No value is written for it.
    func isSame(_ a: RecordBox, _ b: RecordBox) -> Bool { place?.isSame(a, b) ?? isSameByClosure(a, b) }

    /// The keys of records, as a column of an index would have them.
    package static let key = ColumnRule(String.self, path: \String.self, reads: .key) { $0.key }

    /// The bytes of a record's only value.
    package func bytes(of record: RecordBox) -> [UInt8] {
        var writer = IndexKeyWriter()
        writeOne(record, &writer)
        return writer.array
    }

    /// The same column, large values first. Called where it was just made.
    func descending(_ isDescending: Bool) -> ColumnRule {
        self.isDescending = isDescending
        return self
    }

    /// A property that is stored in the object, and read where it stands.
    private init(_ place: StoredColumn, _ property: StoredProperty, path: any AnyKeyPath & Sendable) {
        self.path = path
        stored = property
        self.place = place
        reads = .object
        type = place.type
        isMultiple = false
        write = { record, writer, body in
            place.write(record, &writer)
            body(&writer)
        }
        writeByClosure = { place.write($0, &$1) }
        isSameByClosure = { place.isSame($0, $1) }
    }

    /// The column of a property that is stored `property` bytes into an object, which begins `object` bytes behind the address
    /// of its record, if it is of one of the usual types; `nil` for others.
    static func stored(
        _ type: any Any.Type, at property: Int, ofObjectAt object: Int, path: any AnyKeyPath & Sendable
    ) -> ColumnRule? {
        StoredColumn(type, at: object + property).map {
            ColumnRule($0, StoredProperty(type, at: property), path: path)
        }
    }
}
