import Synchronization
import YaprakCore
import YaprakExtensions

/// A part of a condition: a test of a record, and what indexes can answer of it.
///
/// The test is made when the first record is tested: what an index proves of all its entries is never asked.
final class RecordTest: @unchecked Sendable {
    // What makes the test is a closure over the values of a predicate, which is Sendable, and over key paths.
    let shape: QueryShape
    /// The part of a record that it reads.
    let part: Aspects
    private let make: () -> Made
    private let known = AtomicLazyReference<Made>()

    /// A test that was made.
    final class Made: @unchecked Sendable {
        let condition: RecordCondition
        let isEvaluated: Bool
        let isPure: Bool

        init(_ condition: RecordCondition, isEvaluated: Bool = false, isPure: Bool = false) {
            self.condition = condition
            self.isEvaluated = isEvaluated
            self.isPure = isPure
        }
    }

    init(_ shape: QueryShape, of part: Aspects, _ make: @escaping () -> Made) {
        self.shape = shape
        self.part = part
        self.make = make
    }

    /// A test that needs no making.
    convenience init(_ shape: QueryShape, of part: Aspects, test: @escaping (RecordBox) -> Bool) {
        self.init(shape, of: part) { Made(RecordCondition(holds: test)) }
    }

    private var made: Made { known.load() ?? known.storeIfNil(make()) }

    /// The test.
    var condition: RecordCondition { made.condition }
    /// Whether Foundation evaluates it.
    var isEvaluated: Bool { made.isEvaluated }
    /// Whether it says the same of the same record each time, for sure.
    var isPure: Bool { made.isPure }
}

/// A question to a record. Not a bare closure: one that goes through an array or an optional is wrapped on its way.
struct RecordCondition: @unchecked Sendable {
    // As a test.
    let holds: (RecordBox) -> Bool
}

/// Questions that must all be answered with yes. A struct of closures: looking at one retains nothing.
struct RecordConditions: Sendable {
    private let first: RecordCondition?
    private let rest: [RecordCondition]

    init(_ tests: some Sequence<RecordTest>) {
        var tests = tests.makeIterator()
        first = tests.next()?.condition
        var rest: [RecordCondition] = []
        while let test = tests.next() { rest.append(test.condition) }
        self.rest = rest
    }

    /// Whether nothing is asked.
    var isEmpty: Bool { first == nil }

    /// All of them as one question, for many records: in a loop, nothing is taken out of an optional or an array to be asked.
    var test: (RecordBox) -> Bool {
        guard let first else { return { _ in true } }
        if rest.isEmpty { return first.holds }
        let conditions = self
        return { conditions.hold(for: $0) }
    }

    /// Whether a record matches.
    @inline(__always)
    func hold(for record: RecordBox) -> Bool {
        guard let first else { return true }
        if !first.holds(record) { return false }
        for condition in rest where !condition.holds(record) { return false }
        return true
    }
}
