import Foundation
import YaprakCBOR
public import YaprakCore
public import YaprakModel

/// Where a page of a query ended, to be kept, sent away and brought back: the next page can be asked for by another request,
/// another process, or after a launch.
///
///     let cursor = try query.cursor(after: page.last!).text          // for a link, or a field of a response
///     let next = database.snapshot[try query.after(QueryCursor(parsing: cursor))]
///
/// It is the row that the page ended with, as it was: the place is found again whatever has become of the record. So it has
/// the record's values in clear, whatever the coder of its collection; encrypt and sign it before it goes to somebody who
/// must not see or change them.
public struct QueryCursor: Sendable, Hashable, Codable {
    fileprivate let collection: String
    fileprivate let key: String
    /// As CBOR.
    fileprivate let object: Data
    fileprivate let metadata: Data?

    /// The commit of the snapshot that the page is of, if it was made by `cursor(after:in:)` with one.
    public let commitNumber: CommitNumber?

    fileprivate init(
        collection: String, key: String, object: Data, metadata: Data?, commitNumber: CommitNumber?
    ) {
        self.collection = collection
        self.key = key
        self.object = object
        self.metadata = metadata
        self.commitNumber = commitNumber
    }

    /// The cursor as text of letters, digits, `-` and `_`: base64 for addresses (RFC 4648, section 5), without padding.
    /// - Complexity: O(size of the record).
    public var text: String {
        // Strings and bytes of a bounded number: nothing that could fail to encode.
        let bytes = (try? CBOREncoder().encode(self)) ?? []
        return Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The cursor that ``text`` was made of.
    /// - Throws: ``DatabaseError`` `invalidQuery` if it is not such a text.
    /// - Complexity: O(size of the text).
    public init(parsing text: String) throws {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: base64) else { throw Self.malformed(nil) }
        do {
            self = try CBORDecoder().decode(QueryCursor.self, from: Array(data))
        } catch {
            throw Self.malformed(error)
        }
    }

    private static func malformed(_ cause: (any Error)?) -> DatabaseError {
        DatabaseError(
            .invalidQuery, "this is not the text of a QueryCursor. Begin with the first page.", cause: cause)
    }
}

extension RecordQuery {
    /// A cursor that stands behind a row.
    ///
    ///     let cursor = try query.cursor(after: page.last!, in: snapshot)
    ///     kept[snapshot.commitNumber] = snapshot            // as long as somebody may turn the page
    ///
    /// - Parameter snapshot: the snapshot that the page is of. The cursor names it, see ``QueryCursor/commitNumber``.
    /// - Throws: ``DatabaseError`` `encodingFailed` if the record does not encode or decode, or decodes to one that stands
    ///   elsewhere in the order of the query: its `Codable` leaves out, or rounds, what the query is sorted by.
    /// - Complexity: O(size of the record).
    public func cursor(after row: Record<Object, Metadata>, in snapshot: Snapshot? = nil) throws -> QueryCursor {
        func refusal(_ message: String, cause: (any Error)? = nil) -> DatabaseError {
            DatabaseError(
                .encodingFailed, message, place: .init(collectionName: collection.name, key: row.key), cause: cause)
        }
        let encoder = CBOREncoder()
        let cursor: QueryCursor
        let end: Record<Object, Metadata>
        do {
            cursor = QueryCursor(
                collection: collection.name, key: row.key, object: Data(try encoder.encode(row.object)),
                metadata: try row.metadata.map { Data(try encoder.encode($0)) },
                commitNumber: snapshot?.commitNumber)
            end = try self.row(of: cursor)
        } catch {
            throw refusal(
                """
                the record does not encode, or does not decode again, so no cursor can stand behind it. Use after(_:) with the \
                row.
                """, cause: error)
        }
        // The next page begins after what the cursor decodes to.
        guard order.compare(end.storedBox, row.storedBox) == 0 else {
            throw refusal(
                """
                the record decodes to one that stands elsewhere in the order of the query. Encode what it is sorted by, or use \
                after(_:) with the row.
                """)
        }
        return cursor
    }

    /// The same question, for the rows behind a cursor.
    ///
    /// - Throws: ``DatabaseError`` `invalidQuery` if the cursor is of a query of another collection, or if its record does not
    ///   decode any more: the types have changed, or somebody else has made it.
    /// - Complexity: O(size of the record).
    public func after(_ cursor: QueryCursor) throws -> Self {
        guard cursor.collection == collection.name else {
            throw DatabaseError(
                .invalidQuery,
                """
                a cursor of collection "\(cursor.collection)" was given to a query of "\(collection.name)". Give it to a query \
                of its collection, or begin with the first page.
                """)
        }
        do {
            return after(try row(of: cursor))
        } catch {
            throw DatabaseError(
                .invalidQuery,
                "the record of a cursor does not decode. Begin with the first page.",
                place: .init(collectionName: collection.name), cause: error)
        }
    }

    /// The row that a cursor has.
    private func row(of cursor: QueryCursor) throws -> Record<Object, Metadata> {
        let decoder = CBORDecoder()
        let box = TypedRecord<Object, Metadata>.make(
            key: RecordKey.normalized(cursor.key),
            object: try decoder.decode(Object.self, from: Array(cursor.object)),
            metadata: try cursor.metadata.map { try decoder.decode(Metadata.self, from: Array($0)) },
            objectStamp: 0, metadataStamp: 0)
        return Record(box: box)
    }
}
