import Foundation
import YaprakCore

/// How a column of a stored property of a usual type is read: where it stands, by code that knows its type.
///
/// Not closures, because calling one that an object holds counts references to it twice, for each column in each commit.
struct PropertyColumn: Sendable {
    private enum Kind { case int, string, double, bool, date }

    private let kind: Kind
    /// How many bytes behind the address of the record it stands.
    private let offset: Int
    let type: IndexType

    /// `nil` for other types.
    init?(_ type: any Any.Type, at offset: Int) {
        switch type {
        case is Int.Type: (kind, self.type) = (.int, Int.indexType)
        case is String.Type: (kind, self.type) = (.string, String.indexType)
        case is Double.Type: (kind, self.type) = (.double, Double.indexType)
        case is Bool.Type: (kind, self.type) = (.bool, Bool.indexType)
        case is Date.Type: (kind, self.type) = (.date, Date.indexType)
        default: return nil
        }
        self.offset = offset
    }

    func write(_ record: RecordBox, _ writer: inout IndexKeyWriter) {
        let place = record.address + offset
        switch kind {
        case .int: writer.integer(Int64(place.load(as: Int.self)))
        case .string:
            writer.text(place.assumingMemoryBound(to: String.self).pointee)
            writer.append(0)
        case .double: writer.real(place.load(as: Double.self))
        case .bool: writer.append(place.load(as: Bool.self) ? 2 : 1)
        case .date: writer.real(place.load(as: Date.self).timeIntervalSinceReferenceDate)
        }
    }

    /// Whether two records have the same value for sure.
    func isSame(_ a: RecordBox, _ b: RecordBox) -> Bool {
        let (x, y) = (a.address + offset, b.address + offset)
        switch kind {
        case .int: return x.load(as: Int.self) == y.load(as: Int.self)
        case .string:
            return x.assumingMemoryBound(to: String.self).pointee
                .hasSameBytes(as: y.assumingMemoryBound(to: String.self).pointee)
        case .double: return x.load(as: Double.self) == y.load(as: Double.self)
        case .bool: return x.load(as: Bool.self) == y.load(as: Bool.self)
        case .date: return x.load(as: Date.self) == y.load(as: Date.self)
        }
    }
}
