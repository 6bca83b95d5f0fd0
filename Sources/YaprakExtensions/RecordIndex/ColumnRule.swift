package import YaprakCore
import YaprakTrees

/// A column of an index without the types of its records: how its values are read and written.
///
/// A class, so that handing it on retains one object and not each closure.
package final class ColumnRule: Sendable {
    /// The property it is of; `nil` for a closure.
    package let path: (any AnyKeyPath & Sendable)?
    /// The property, if it is stored in the object and of one of the usual types.
    package let stored: StoredProperty?
    /// The part of a record that it reads.
    package let reads: Aspects
    package let type: IndexType
    package let isMultiple: Bool
    /// Whether it says the same of the same record each time, for sure: no code of the program takes part.
    let isPure: Bool
    /// Whether large values come first.
    package let isDescending: Bool
    private let reading: Reading

    /// How the values of a record are read.
    private enum Reading: Sendable {
        /// Where they stand.
        case property(PropertyColumn)
        /// By closures: one that writes each value and calls the other closure behind it, one that writes the only value, and
        /// one that compares two records.
        case called(
            write: @Sendable (RecordBox, inout IndexKeyWriter, (inout IndexKeyWriter) -> Void) -> Void,
            writeOne: @Sendable (RecordBox, inout IndexKeyWriter) -> Void,
            isSame: @Sendable (RecordBox, RecordBox) -> Bool)
    }

    init<Value: IndexColumnValue>(
        _: Value.Type, path: (any AnyKeyPath & Sendable)?, reads: Aspects, isPure: Bool = false,
        isDescending: Bool = false, value: @escaping @Sendable (RecordBox) -> Value
    ) {
        self.path = path
        stored = nil
        self.reads = reads
        type = Value.columnType
        isMultiple = Value.isMultiple
        self.isPure = isPure
        self.isDescending = isDescending
        reading = .called(
            write: { value($0).forEachIndexed(&$1, $2) }, writeOne: { value($0).forEachIndexed(&$1) { _ in } },
            isSame: { value($0).hasSameEntries(as: value($1)) })
    }

    /// A property that is stored in the object, and read where it stands.
    private init(
        _ column: PropertyColumn, _ property: StoredProperty, path: any AnyKeyPath & Sendable, isDescending: Bool
    ) {
        self.path = path
        stored = property
        reads = .object
        type = column.type
        isMultiple = false
        isPure = true
        self.isDescending = isDescending
        reading = .property(column)
    }

    /// The column of a property that is stored `property` bytes into an object, which begins `object` bytes behind the address
    /// of its record, if it is of one of the usual types; `nil` for others.
    static func stored(
        _ type: any Any.Type, at property: Int, ofObjectAt object: Int, path: any AnyKeyPath & Sendable,
        isDescending: Bool
    ) -> ColumnRule? {
        PropertyColumn(type, at: object + property).map {
            ColumnRule($0, StoredProperty(type, at: property), path: path, isDescending: isDescending)
        }
    }

    /// The keys of records, as a column of an index would have them.
    package static let key = ColumnRule(String.self, path: \String.self, reads: .key, isPure: true) { $0.key }

    /// The bytes of a record's only value.
    package func bytes(of record: RecordBox) -> [UInt8] {
        var writer = IndexKeyWriter()
        writeOne(record, &writer)
        return writer.array
    }

    /// Writes the value of a record; of a column with several, each, and calls the closure behind it.
    func write(_ record: RecordBox, _ writer: inout IndexKeyWriter, _ body: (inout IndexKeyWriter) -> Void) {
        switch reading {
        case .property(let column):
            column.write(record, &writer)
            body(&writer)
        case .called(let write, _, _): write(record, &writer, body)
        }
    }

    /// Writes the only value of a record.
    func writeOne(_ record: RecordBox, _ writer: inout IndexKeyWriter) {
        switch reading {
        case .property(let column): column.write(record, &writer)
        case .called(_, let writeOne, _): writeOne(record, &writer)
        }
    }

    /// Whether two records have the same values for sure. No value is written for it.
    func isSame(_ a: RecordBox, _ b: RecordBox) -> Bool {
        switch reading {
        case .property(let column): column.isSame(a, b)
        case .called(_, _, let isSame): isSame(a, b)
        }
    }
}
