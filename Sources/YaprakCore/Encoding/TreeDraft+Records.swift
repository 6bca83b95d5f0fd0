import YaprakModel
import YaprakTrees

extension TreeDraft {
    /// A tree of the records of a section, which come in pieces.
    ///
    /// In the file they are in ascending order (``AscendingKeys``). Their normal form is made here, and newer Unicode tables
    /// can put a key elsewhere than the program that wrote it: then they are sorted.
    /// - Throws: `corruptCheckpoint` if two records have one key in its normal form.
    /// - Complexity: O(number of records), O(*n* log *n*) where they have to be sorted.
    func buildTree<Row: RecordBox>(of pieces: [[Row]]) throws -> TreeRoot {
        if let root = bulkLoad(pieces) { return root }
        do throws(UnorderedRow) {
            return try build(from: pieces.joined().sorted { $0.key.precedesInBytes($1.key) })
        } catch {
            throw DatabaseError(
                .corruptCheckpoint,
                "Two records of a checkpoint have the key \(error.key.debugDescription) in its normal form. Open it with the "
                    + "version that wrote it, and rename one of them.",
                place: .init(key: error.key))
        }
    }

    /// The tree, if the records are in order. In a function of its own: a builder that gives up has to be gone, and its rows
    /// free again, before anybody else adopts them.
    @inline(never)
    private func bulkLoad<Row: RecordBox>(_ pieces: [[Row]]) -> TreeRoot? {
        let builder = TreeBuilder(in: self)
        for rows in pieces { for row in rows where (try? builder.append(row)) == nil { return nil } }
        return builder.finish()
    }
}
