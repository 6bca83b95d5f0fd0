import YaprakCBOR

extension ExpressionNode {
    /// How tightly the node holds together as text.
    private var rank: ExpressionRank {
        switch self {
        case .literal, .element, .collection, .side, .path, .call: .path
        case .negated: .negated
        case .not: .not
        case .and: .and
        case .or: .or
        case .comparison, .became: .comparison
        case .arithmetic(let operation, _, _): operation.rank
        }
    }

    /// The node as text, in parentheses if it holds together less than its place demands.
    func text(in place: ExpressionRank) -> String { rank < place ? "(\(bare))" : bare }

    private var bare: String {
        switch self {
        case .literal(let value): value.description
        case .element(let part): part.rawValue
        case .collection(let name):
            ExpressionParser.isPlainName(name) && Side(rawValue: name) == nil
                ? name : "collection(\(CBORValue.text(name)))"
        case .path(let base, let steps): Self.text(of: base, steps)
        case .negated(let operand): "-" + operand.text(in: .negated)
        case .not(let operand): "not " + operand.text(in: .not)
        case .and(let operands): operands.map { $0.text(in: .not) }.joined(separator: " and ")
        case .or(let operands): operands.map { $0.text(in: .and) }.joined(separator: " or ")
        case .comparison(let operation, let a, let b):
            "\(a.text(in: .sum)) \(operation.rawValue) \(b.text(in: .sum))"
        case .side(let side): side.rawValue
        case .became(let a, let b): "\(a.text(in: .sum)) became \(b.text(in: .sum))"
        case .arithmetic(let operation, let a, let b):
            "\(a.text(in: operation.rank)) \(operation.rawValue) \(b.text(in: operation.rank.next))"
        case .call(let function, let arguments):
            "\(function.rawValue)(\(arguments.map { $0.text(in: .or) }.joined(separator: ", ")))"
        }
    }

    private static func text(of base: ExpressionNode, _ steps: [Step]) -> String {
        var text = base.text(in: .path)
        for (index, step) in steps.enumerated() {
            switch step {
            case .field(let name) where ExpressionLexer.isName(name):
                // The dot of the element is the dot of its first field.
                text += index == 0 && base == .element(.object) ? name : "." + name
            case .field(let name): text += "[\(CBORValue.text(name))]"
            case .index(let node): text += "[\(node.text(in: .or))]"
            }
        }
        return text
    }
}
