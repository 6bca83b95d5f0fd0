import Foundation
import YaprakCore
import YaprakExtensions

/// A condition on one part of a record, made ready once: closures, and what indexes can answer.
///
/// Of a predicate whose expression is not made of ``QueryNode``s only those parts are compiled that are; the others, which
/// must hold as well, are evaluated by Foundation.
struct PreparedCondition {
    let tests: [RecordTest]
}

/// Where a predicate finds its input.
enum PredicateInput {
    /// So many bytes from the address of the record.
    case stored(at: Int)
    /// Where this closure says, for as long as the one it calls runs.
    case made((RecordBox, (UnsafeRawPointer) -> Bool) -> Bool)

    fileprivate func condition(_ test: @escaping (UnsafeRawPointer) -> Bool) -> RecordCondition {
        switch self {
        case .stored(let offset): RecordCondition { test($0.address + offset) }
        case .made(let withInput): RecordCondition { record in withInput(record, test) }
        }
    }
}

extension PreparedCondition {
    /// A predicate over a value that stands in a record, or is made of it.
    init<Input>(_ predicate: Predicate<Input>, of part: Aspects, _ place: PredicateInput) {
        let variable = predicate.variable
        let input = variable.key
        var tests: [RecordTest] = []
        func evaluated(_ expression: any StandardPredicateExpression<Bool>) -> RecordCondition {
            Self.evaluated(expression, variable, place)
        }
        func add(_ expression: any StandardPredicateExpression<Bool>) {
            if let node = expression as? any QueryNode {
                var conjuncts: [Conjunct] = []
                conjuncts.reserveCapacity(4)
                node.addConjuncts(for: input, to: &conjuncts)
                for conjunct in conjuncts {
                    tests.append(
                        RecordTest(conjunct.shape, of: part) {
                            if let test = conjunct.expression.propertyTest(for: input) {
                                return .init(place.condition(test.holds), isPure: true)
                            }
                            if let compiled = conjunct.expression.compiledTest(for: input) {
                                return .init(place.condition(compiled.call), isPure: compiled.isPure)
                            }
                            // All parts of a predicate are of the standard's kind.
                            let part = conjunct.expression as? any StandardPredicateExpression<Bool>
                            return .init(part.map(evaluated) ?? RecordCondition { _ in false }, isEvaluated: true)
                        })
                }
            } else if let conjunction = expression as? any ConjunctionOfTwo {
                conjunction.parts.forEach(add)
            } else {
                tests.append(RecordTest(.unknown, of: part) { .init(evaluated(expression), isEvaluated: true) })
            }
        }
        add(predicate.expression)
        self.tests = tests
    }

    /// A part that Foundation evaluates. What it throws means that the part does not hold.
    private static func evaluated<Input>(
        _ expression: any StandardPredicateExpression<Bool>, _ variable: PredicateExpressions.Variable<Input>,
        _ place: PredicateInput
    ) -> RecordCondition {
        place.condition { object in
            let bindings = PredicateBindings((variable, object.assumingMemoryBound(to: Input.self).pointee))
            return (try? expression.evaluate(bindings)) ?? false
        }
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
