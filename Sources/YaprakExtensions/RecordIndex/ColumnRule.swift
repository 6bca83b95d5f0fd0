import Foundation
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
    /// Writes the only value of a record.
    let writeOne: @Sendable (RecordBox, inout IndexKeyWriter) -> Void
    /// Whether two records have the same values for sure. No value is written for it.
    let isSame: @Sendable (RecordBox, RecordBox) -> Bool

    init<Value: IndexColumnValue>(
        _: Value.Type, path: (any AnyKeyPath & Sendable)?, reads: Aspects,
        value: @escaping @Sendable (RecordBox) -> Value
    ) {
        self.path = path
        stored = nil
        self.reads = reads
        type = Value.columnType
        isMultiple = Value.isMultiple
        write = { value($0).forEachIndexed(&$1, $2) }
        writeOne = { value($0).forEachIndexed(&$1) { _ in } }
        isSame = { value($0).hasSameEntries(as: value($1)) }
    }

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

    /// A property that is stored in the object, at `offset` bytes from the address of the record: read where it stands, by
    /// code that knows its type.
    private init<Value: IndexValue>(
        stored: Value.Type, at offset: Int, path: any AnyKeyPath & Sendable,
        _ writeOne: @escaping @Sendable (RecordBox, inout IndexKeyWriter) -> Void,
        _ isSame: @escaping @Sendable (RecordBox, RecordBox) -> Bool
    ) {
        self.path = path
        self.stored = StoredProperty(Value.self, at: offset)
        reads = .object
        type = Value.indexType
        isMultiple = false
        self.writeOne = writeOne
        write = { record, writer, body in
            writeOne(record, &writer)
            body(&writer)
        }
        self.isSame = isSame
    }

    /// The column of a property that is stored `property` bytes into an object, which begins `object` bytes behind the address
    /// of its record, if it is of one of the usual types; `nil` for others.
    static func stored(
        _ type: any Any.Type, at property: Int, ofObjectAt object: Int, path: any AnyKeyPath & Sendable
    ) -> ColumnRule? {
        let offset = object + property
        return switch type {
        case is Int.Type:
            ColumnRule(
                stored: Int.self, at: property, path: path,
                { $1.integer(Int64(($0.address + offset).load(as: Int.self))) },
                { ($0.address + offset).load(as: Int.self) == ($1.address + offset).load(as: Int.self) })
        case is String.Type:
            ColumnRule(
                stored: String.self, at: property, path: path,
                {
                    $1.text(($0.address + offset).assumingMemoryBound(to: String.self).pointee)
                    $1.append(0)
                },
                {
                    ($0.address + offset).assumingMemoryBound(to: String.self).pointee
                        .hasSameBytes(as: ($1.address + offset).assumingMemoryBound(to: String.self).pointee)
                })
        case is Double.Type:
            ColumnRule(
                stored: Double.self, at: property, path: path,
                { $1.real(($0.address + offset).load(as: Double.self)) },
                { ($0.address + offset).load(as: Double.self) == ($1.address + offset).load(as: Double.self) })
        case is Bool.Type:
            ColumnRule(
                stored: Bool.self, at: property, path: path,
                { $1.append(($0.address + offset).load(as: Bool.self) ? 2 : 1) },
                { ($0.address + offset).load(as: Bool.self) == ($1.address + offset).load(as: Bool.self) })
        case is Date.Type:
            ColumnRule(
                stored: Date.self, at: property, path: path,
                { $1.real(($0.address + offset).load(as: Date.self).timeIntervalSinceReferenceDate) },
                { ($0.address + offset).load(as: Date.self) == ($1.address + offset).load(as: Date.self) })
        default: nil
        }
    }
}
