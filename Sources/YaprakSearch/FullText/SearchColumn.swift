public import YaprakCore

/// A text of a record that is indexed, under a name.
///
///     SearchColumn("title", weight: 4) { $0.object.title }
///     SearchColumn("tags") { $0.object.tags.joined(separator: "\n") }
public struct SearchColumn<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    /// What stands before the colon in a query.
    public let name: String
    /// How much a word counts here, where results are ranked; 1 by default, 0 to a million. Needs no other index.
    public let weight: Double
    let text: @Sendable (Record<Object, Metadata>) -> String?

    /// A column.
    ///
    /// - Parameters:
    ///   - name: what stands before the colon in a query.
    ///   - weight: how much a word counts here: 0 to a million.
    ///   - text: the text of a record; `nil` is an empty one. Must depend on the record alone. Called on several threads at
    ///     the same time when an index is made.
    public init(
        _ name: String, weight: Double = 1, _ text: @escaping @Sendable (_ record: Record<Object, Metadata>) -> String?
    ) {
        precondition((0...1_000_000).contains(weight), "a column has a weight of 0 to a million, not \(weight)")
        self.name = name
        self.weight = weight
        self.text = text
    }

    /// A column with the text of a property of the object.
    ///
    ///     SearchColumn("title", \.title, weight: 4)
    public init(_ name: String, _ property: any KeyPath<Object, String> & Sendable, weight: Double = 1) {
        self.init(name, weight: weight) { $0.object[keyPath: property] }
    }

    /// A column with the text of a property of the object that may have none.
    public init(_ name: String, _ property: any KeyPath<Object, String?> & Sendable, weight: Double = 1) {
        self.init(name, weight: weight) { $0.object[keyPath: property] }
    }
}

/// What of a search index is stored in files.
public enum SearchPersistence: Sendable, Hashable {
    /// The index as of each checkpoint, unless the collection has a coder of its own: an index has the words of its records
    /// in the clear.
    case automatic
    /// Nothing: the index is recomputed at each launch.
    case rebuilt
    /// The index as of each checkpoint, whatever the collection's coder.
    case checkpoints
}
