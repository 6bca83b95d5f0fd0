/// The changes of single records in one collection, boxes and all, in the order in which the records were first changed.
///
/// A copy shares them: nothing is allocated for it.
package struct ChangeEntries: RandomAccessCollection, Sendable {
    private let entries: OneOrMany<ChangeEntry>

    init(_ entries: OneOrMany<ChangeEntry>) { self.entries = entries }

    package var startIndex: Int { 0 }
    package var endIndex: Int { entries.count }
    package subscript(position: Int) -> ChangeEntry { entries[position] }
}

extension ChangeEntries: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: ChangeEntry...) { self.init(OneOrMany(elements)) }
}
