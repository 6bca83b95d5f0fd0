public import Foundation
public import YaprakCore
import YaprakExtensions
import YaprakTrees

/// A question to the records of a collection: which, in what order, how many.
///
///     let bestsellers = RecordQuery(
///         .books, where: #Predicate { $0.genre == "sci-fi" && $0.salesRank < 100 }, sortedBy: RecordSort(\.title), limit: 20)
///     for book in database.snapshot[bestsellers] { print(book.object.title) }
///
/// A value: make it once and use it as often as you like, which saves making the predicate ready each time. Predicates of
/// Foundation are compiled; what they have that is not compiled, such as forced unwrapping, is evaluated, and does not hold
/// where that throws. Arithmetic that overflows, and a range made of a record with its ends in disorder, throw nothing and
/// stop the program. The registered indexes that help are used (``RecordIndex``); without any, all records are tested.
/// Without ``RecordSort``s rows stand in the order of their keys.
public struct RecordQuery<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    let collection: CollectionTypes
    let outline: QueryOutline
    let order: RecordOrder
    /// How many rows are wanted; `nil` for all.
    public var limit: Int?
    var start: RecordBox?

    private init(
        _ collection: CollectionTypes, _ condition: PreparedCondition, _ sorts: [RecordSort<Object, Metadata>],
        _ limit: Int?
    ) {
        self.collection = collection
        // Not by a key path, which would be made again for each query: this code is generic.
        // Nor by `map` for the usual one, which is a twenty-fifth of a query that is made and run at once.
        order = RecordOrder(sorts: sorts.count == 1 ? [sorts[0].rule] : sorts.map { $0.rule })
        outline = QueryOutline(condition.tests, order.sorts)
        self.limit = limit
    }

    /// The records for which a predicate of the object holds, and one of the key, and one of the metadata; all records if
    /// there is none. A record without metadata does not match a predicate of it.
    /// - Complexity: O(size of the predicates).
    public init(
        _ collection: RecordCollection<Object, Metadata>, where predicate: Predicate<Object>? = nil,
        key: Predicate<String>? = nil, metadata: Predicate<Metadata>? = nil,
        sortedBy sorts: RecordSort<Object, Metadata>..., limit: Int? = nil
    ) {
        self.init(collection, where: predicate, key: key, metadata: metadata, sorts: sorts, limit: limit, keys: nil)
    }

    // Inlined, so that the types of predicates are looked up once in the code that has them: each time takes a tenth of a
    // microsecond.
    @inline(__always)
    init(
        _ collection: RecordCollection<Object, Metadata>, where predicate: Predicate<Object>?,
        key: Predicate<String>? = nil, metadata: Predicate<Metadata>? = nil, sorts: [RecordSort<Object, Metadata>],
        limit: Int?, keys: ClosedRange<String>?
    ) {
        var tests: [RecordTest] = []
        let offset = TypedRecord<Object, Metadata>.objectOffset
        if let predicate {
            tests += PreparedCondition(predicate, of: .object, .stored(at: offset)).tests
        }
        if let metadata {
            tests +=
                PreparedCondition(
                    metadata, of: .metadata,
                    .made { record, test in
                        Record<Object, Metadata>(box: record).metadata.map { withUnsafePointer(to: $0) { test($0) } }
                            ?? false
                    }
                ).tests
        }
        if let key {
            tests +=
                PreparedCondition(
                    key, of: .key, .made { record, test in withUnsafePointer(to: record.key) { test($0) } }
                ).tests
        }
        if let keys { tests.append(Self.test(keys)) }
        self.init(CollectionTypes(collection), PreparedCondition(tests: tests), sorts, limit)
    }

    private static func test(_ keys: ClosedRange<String>) -> RecordTest {
        let key = QueryProperty(path: \String.self, stored: nil)
        let term = QueryTerm.between(key, .including(keys.lowerBound), .including(keys.upperBound))
        return RecordTest(QueryShape(term), of: .key) { record in keys.contains(record.key) }
    }

    /// The records for whose object a closure returns true. No index can help.
    public init(
        _ collection: RecordCollection<Object, Metadata>, sortedBy sorts: RecordSort<Object, Metadata>...,
        limit: Int? = nil, where isIncluded: @escaping @Sendable (Object) -> Bool
    ) {
        self.init(collection, sorts: sorts, limit: limit, keys: nil, where: isIncluded)
    }

    init(
        _ collection: RecordCollection<Object, Metadata>, sorts: [RecordSort<Object, Metadata>], limit: Int?,
        keys: ClosedRange<String>?, where isIncluded: @escaping @Sendable (Object) -> Bool
    ) {
        var tests = [RecordTest(.unknown, of: .object) { $0.lendObject(to: isIncluded) }]
        if let keys { tests.append(Self.test(keys)) }
        self.init(CollectionTypes(collection), PreparedCondition(tests: tests), sorts, limit)
    }

    /// The same question, for the rows behind one of its answers: the next page.
    ///
    ///     let next = database.snapshot[query.after(page.last!)]
    ///
    /// The row says where the page ended, also when its record has been changed or removed since. For pages that fit
    /// together exactly, ask the same snapshot.
    public func after(_ row: Record<Object, Metadata>) -> Self {
        var next = self
        next.start = row.storedBox
        return next
    }

    func execution(over snapshot: Snapshot) -> QueryExecution {
        QueryExecution(snapshot, collection, outline, order, limit: limit ?? .max, after: start)
    }
}
