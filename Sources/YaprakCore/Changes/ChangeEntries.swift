/// The changes of single records in one collection, boxes and all, in the order in which the records were first changed.
///
/// A copy shares them: nothing is allocated for it.
package struct ChangeEntries: RandomAccessCollection, Sendable {
    private let entries: OneOrMany<ChangeEntry>

    init(_ entries: OneOrMany<ChangeEntry>) { self.entries = entries }

    package var startIndex: Int { 0 }
    package var endIndex: Int { entries.count }
    package subscript(position: Int) -> ChangeEntry { entries[position] }

    /// Calls `body` with each. A loop in another module goes through witnesses, at each entry of each commit.
    package func forEach(_ body: (ChangeEntry) -> Void) {
        if let only = entries.only { body(only) } else { entries.several.forEach(body) }
    }
}

extension ChangeEntries: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: ChangeEntry...) { self.init(OneOrMany(elements)) }
}
