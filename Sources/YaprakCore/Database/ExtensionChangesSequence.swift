public import struct YaprakModel.CommitNumber

/// What each commit changes in an extension: one element for each commit that does. See ``ExtensionHost/changes(of:)``.
///
/// Each iterator starts where the sequence was made. The first iterator takes over the sequence's place in memory; a later one
/// throws `laggedBehind` where memory no longer has what follows. Make a sequence for each consumer.
public struct ExtensionChangesSequence<Extension: DatabaseExtension>: AsyncSequence, Sendable {
    /// What one commit changed.
    public typealias Element = ExtensionChanges<Extension.Changes>
    /// ``DatabaseError``.
    public typealias Failure = any Error

    private let `extension`: Extension
    private let changesets: ChangesetSequence

    init(_ extension: Extension, _ changesets: ChangesetSequence) {
        self.extension = `extension`
        self.changesets = changesets
    }

    /// An iterator that starts where the sequence was made. O(1) the first time, later as ``Database/changesets(after:)``.
    public func makeAsyncIterator() -> Iterator { Iterator(`extension`, changesets.makeAsyncIterator()) }

    /// Delivers changes in the order of their commits.
    public struct Iterator: AsyncIteratorProtocol {
        private let `extension`: Extension
        private var changesets: ChangesetSequence.Iterator

        init(_ extension: Extension, _ changesets: ChangesetSequence.Iterator) {
            self.extension = `extension`
            self.changesets = changesets
        }

        /// The changes of the next commit that has any; waits for it. `nil` when the database is closed or the task cancelled.
        /// - Throws: `laggedBehind`.
        public mutating func next() async throws -> ExtensionChanges<Extension.Changes>? {
            while let changeset = try await changesets.next() {
                let changes = changeset.changes(of: `extension`)
                if changes.isEmpty { continue }
                return ExtensionChanges(commitNumber: changeset.commitNumber, changes: changes)
            }
            return nil
        }
    }
}

/// What one commit changed in one extension.
public struct ExtensionChanges<Changes: Sendable>: Sendable {
    /// The commit.
    public let commitNumber: CommitNumber
    /// One element for each time the extension caught up within the commit, nearly always one.
    public let changes: [Changes]
}
