package import YaprakTrees

/// The state of a ``RecordIndex`` in one snapshot. Opaque; read it through ``IndexRows``.
public struct IndexRoot: Sendable {
    package let configuration: IndexConfiguration
    /// Entries by the bytes of their columns.
    package internal(set) var tree = TreeRoot()
    /// The entries of each record that has any, by its key, if the index has to remember them: see ``RememberedEntries``.
    var remembered = TreeRoot()
    /// Of a unique index: entries whose columns another has, too. The one whose record has the smallest key is found by its
    /// columns alone, and the others stand behind it. Only inside a transaction, or where nobody judges: see ``IndexEditor``.
    var duplicates = 0
    /// Entries that were put, exchanged or removed, and columns that were written for it. For tests.
    package internal(set) var edits = 0
    package internal(set) var writings = 0
    /// How often all entries were made again, because a column had changed its mind about a record. For tests.
    package internal(set) var remakes = 0

    init(_ configuration: IndexConfiguration) { self.configuration = configuration }

    /// All trees that it owns.
    var trees: [TreeRoot] { configuration.remembersEntries ? [tree, remembered] : [tree] }
}
