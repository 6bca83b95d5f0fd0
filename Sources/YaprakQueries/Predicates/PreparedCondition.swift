import Foundation
import YaprakCore
import YaprakExtensions

/// A condition on one part of a record, made ready once: closures, and what indexes can answer.
///
/// Of a predicate whose expression is not made of ``QueryNode``s only those parts are compiled that are; the others, which
/// must hold as well, are evaluated by Foundation.
struct PreparedCondition: @unchecked Sendable {
    // Closures over the values of a predicate, which is Sendable, and over key paths.
    let tests: [RecordTest]

    func holds(_ record: RecordBox) -> Bool {
        for test in tests where !test.test(record) { return false }
        return true
    }
}

/// A part of a condition: a test of a record, and what indexes can answer of it.
final class RecordTest {
    let test: (RecordBox) -> Bool
    let shape: QueryShape
    /// The part of a record that it reads.
    let part: Aspects
    /// Whether Foundation evaluates it.
    let isEvaluated: Bool

    init(test: @escaping (RecordBox) -> Bool, shape: QueryShape, part: Aspects, isEvaluated: Bool = false) {
        self.test = test
        self.shape = shape
        self.part = part
        self.isEvaluated = isEvaluated
    }
}

extension PreparedCondition {
    /// A predicate over a value that stands in a record, or is made of it.
    init<Input>(
        _ predicate: Predicate<Input>, of part: Aspects,
        reading withInput: @escaping (RecordBox, (UnsafeRawPointer) -> Bool) -> Bool
    ) {
        let input = predicate.variable.key
        var tests: [RecordTest] = []
        func add(_ expression: any StandardPredicateExpression<Bool>) {
            if let node = expression as? any QueryNode, let conjuncts = node.conjuncts(for: input) {
                for conjunct in conjuncts {
                    let test = conjunct.test
                    tests.append(RecordTest(test: { withInput($0, test) }, shape: conjunct.shape, part: part))
                }
            } else if let conjunction = expression as? any ConjunctionOfTwo {
                conjunction.parts.forEach(add)
            } else {
                tests.append(Self.evaluated(expression, predicate.variable, part, withInput))
            }
        }
        add(predicate.expression)
        self.tests = tests
    }

    /// A part that Foundation evaluates. What it throws means that the part does not hold.
    private static func evaluated<Input>(
        _ expression: any StandardPredicateExpression<Bool>, _ variable: PredicateExpressions.Variable<Input>,
        _ part: Aspects, _ withInput: @escaping (RecordBox, (UnsafeRawPointer) -> Bool) -> Bool
    ) -> RecordTest {
        RecordTest(
            test: { record in
                withInput(record) { object in
                    let bindings = PredicateBindings((variable, object.assumingMemoryBound(to: Input.self).pointee))
                    return (try? expression.evaluate(bindings)) ?? false
                }
            }, shape: .unknown, part: part, isEvaluated: true)
    }
}

/// A conjunction, whatever it is made of.
private protocol ConjunctionOfTwo {
    var parts: [any StandardPredicateExpression<Bool>] { get }
}

extension PredicateExpressions.Conjunction: ConjunctionOfTwo {
    fileprivate var parts: [any StandardPredicateExpression<Bool>] {
        // All parts of a predicate are of the standard's kind.
        [lhs, rhs].compactMap { $0 as? any StandardPredicateExpression<Bool> }
    }
}
