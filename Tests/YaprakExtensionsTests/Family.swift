import TestSupport
import Yaprak

@testable import YaprakExtensions

/// A record that refers to others in every way there is.
struct Node: Codable, Sendable, Hashable {
    var must = ""
    var one: String?
    var many: [String] = []
    var told = 0
}

extension RecordCollection where Object == Node, Metadata == NoMetadata {
    static var parents: Self { .init("parents") }
    static var children: Self { .init("children") }
    static var toys: Self { .init("toys") }
}

/// What a closure of a notifying rule answers: the same to the engine and to the model.
enum Answers {
    static func source(_ node: Node, _ key: String, _ removed: String) -> Node? {
        switch (key + removed).utf8.reduce(0, { ($0 &* 31 &+ Int($1)) & 0xffff }) % 4 {
        case 0: return nil
        case 1:
            var node = node
            node.told += 1
            return node
        case 2:
            var node = node
            node.told += 1
            node.one = nil
            node.many.removeAll { $0 == removed }
            return node
        default:
            // Another reference, perhaps to a record that is about to go.
            var node = node
            node.told += 1
            node.one = "\((removed.utf8.last ?? 48) % 7)"
            node.many = ["\((removed.utf8.first ?? 48) % 7)"]
            return node
        }
    }

    static func target(_ node: Node, _ key: String, _ removed: String) -> Node? {
        if (key + removed).utf8.count % 2 == 0 { return nil }
        var node = node
        node.told += 100
        return node
    }
}

/// A relationship by its description, so that the engine and the model are made of the same.
struct Kinship: CustomStringConvertible, Sendable {
    enum Property: CaseIterable { case must, one, many }
    enum Rule: CaseIterable { case none, cascade, cascadeWhenLast, nullify, restrict, notify }

    var name: String
    var from: RecordCollection<Node, NoMetadata>
    var property: Property
    var to: RecordCollection<Node, NoMetadata>
    var onDelete: Rule
    var onSourceDelete: Rule
    var allowsMissing = true

    var description: String {
        """
        \(name): \(from.name).\(property) → \(to.name), on delete \(onDelete), of a source \(onSourceDelete), missing \
        \(allowsMissing)
        """
    }

    static func random(_ random: inout SplitMix64, number: Int) -> Kinship {
        let collections: [RecordCollection<Node, NoMetadata>] = [.parents, .children, .toys]
        let property = Property.allCases[random.below(3)]
        // Rules that undo the transaction are rare, so that histories get somewhere.
        var onDelete: Rule = random.chance(12) ? .restrict : [.none, .cascade, .nullify, .notify][random.below(4)]
        if property == .must && onDelete == .nullify { onDelete = .cascade }
        let onSourceDelete: Rule =
            random.chance(6) ? .restrict : [.none, .none, .cascade, .cascadeWhenLast, .notify][random.below(5)]
        return Kinship(
            name: "r\(number)", from: collections[random.below(3)], property: property,
            to: collections[random.below(3)],
            onDelete: onDelete, onSourceDelete: onSourceDelete, allowsMissing: !random.chance(4))
    }

    func references(of node: Node) -> [String] {
        switch property {
        case .must: [node.must]
        case .one: node.one.map { [$0] } ?? []
        case .many: node.many
        }
    }

    private var sourceRule: SourceDeleteRule<Node, NoMetadata> {
        switch onSourceDelete {
        case .none, .nullify: .none
        case .cascade: .cascade
        case .cascadeWhenLast: .cascadeWhenLast
        case .restrict: .restrict
        case .notify: .notify { Answers.target($0.object, $0.key, $1) }
        }
    }

    private func rule<Key: ReferenceKey>(nullify: DeleteRule<Node, NoMetadata, Key>) -> DeleteRule<
        Node, NoMetadata, Key
    > {
        switch onDelete {
        case .none, .cascadeWhenLast: .none
        case .cascade: .cascade
        case .nullify: nullify
        case .restrict: .restrict
        case .notify: .notify { Answers.source($0.object, $0.key, $1) }
        }
    }

    var relationship: Relationship<Node, NoMetadata, Node, NoMetadata> {
        switch property {
        case .must:
            .init(
                name, from: from, \.must, to: to, onDelete: rule(nullify: .none), onSourceDelete: sourceRule,
                allowsMissing: allowsMissing)
        case .one:
            .init(
                name, from: from, \.one, to: to, onDelete: rule(nullify: .nullify), onSourceDelete: sourceRule,
                allowsMissing: allowsMissing)
        case .many:
            .init(
                name, from: from, \.many, to: to, onDelete: rule(nullify: .nullify), onSourceDelete: sourceRule,
                allowsMissing: allowsMissing)
        }
    }
}
