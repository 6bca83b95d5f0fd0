public import struct YaprakModel.CommitNumber

/// One write while it runs: everything it does becomes visible and durable together, or not at all.
///
///     try await database.write { transaction in
///         transaction[.books]["abc"] = Book(title: "Dune", genre: "sci-fi", salesRank: 3)
///         transaction[.books]["abc"]?.salesRank += 1
///     }
///
/// The closure is synchronous, sees its own changes, and runs when no other does. Throwing out of it undoes everything
/// and comes out of `write` unchanged, unless the log refuses what the write has read. A transaction and the collections
/// it yields can't be copied or kept: letting one escape the closure does not compile. Snapshots and rows taken from it may
/// escape; they stay what they were.
public struct WriteTransaction: ~Copyable {
    @usableFromInline let draft: Draft

    init(_ draft: Draft) { self.draft = draft }

    /// The records of a collection, to read and to write.
    ///
    /// - Precondition: the collection holds records of these types; one that came from disk has been bound.
    /// - Complexity: O(1) in the number of records.
    @inlinable
    public subscript<Object, Metadata>(
        _ collection: RecordCollection<Object, Metadata>
    ) -> MutableRecords<Object, Metadata> {
        _read {
            let records = MutableRecords<Object, Metadata>(draft: draft, slot: draft.slot(of: collection))
            yield records
        }
        _modify {
            var records = MutableRecords<Object, Metadata>(draft: draft, slot: draft.slot(of: collection))
            yield &records
        }
    }

    /// Lends the records of a collection to `body`, under a name of its own.
    ///
    ///     try transaction.with(.books) { books in
    ///         books["abc"]?.salesRank += 1
    ///         books.remove("def")
    ///     }
    ///
    /// Instead of `let books = transaction[.books]`, which does not compile ("borrowed and cannot be consumed"): records can't be
    /// kept, as they must not outlive the transaction.
    /// - Returns: what `body` returns. - Throws: what `body` throws.
    /// - Precondition: as for the subscript. - Complexity: O(1), and what `body` does.
    @inlinable
    public borrowing func with<Object, Metadata, Result: ~Copyable, Failure: Error>(
        _ collection: RecordCollection<Object, Metadata>,
        _ body: (borrowing MutableRecords<Object, Metadata>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let records = MutableRecords<Object, Metadata>(draft: draft, slot: draft.slot(of: collection))
        return try body(records)
    }

    /// The number this transaction's commit will have, if it changes something.
    public var commitNumber: CommitNumber { draft.baseNumber.next() }

    /// Everything as it stands at this point of the transaction, extensions included; stays as it is whatever comes next.
    ///
    ///     let before = try transaction.snapshot()
    ///     transaction[.books].removeAll()
    ///     for row in before[.books] { … }          // all of them, still
    ///
    /// - Throws: `extensionFailed` if an extension can't follow what the transaction did.
    /// - Complexity: O(1), plus what the extensions have to catch up with.
    public borrowing func snapshot() throws -> Snapshot { try draft.currentSnapshot() }

    /// The snapshot the transaction started from. O(1).
    public var before: Snapshot { Snapshot(draft.base) }

    /// What an extension knows at this point of the transaction, its changes included.
    ///
    /// - Throws: `extensionNotRegistered`, `typeMismatch`, or `extensionFailed` if it can't follow.
    /// - Complexity: O(number of extensions), plus what they have to catch up with.
    public borrowing func reader<Extension: DatabaseExtension>(of extension: Extension) throws -> Extension.Reader {
        try draft.currentSnapshot().reader(of: `extension`)
    }

    /// Does a step in a primary extension; it is logged, and undone if the transaction is.
    ///
    /// - Throws: `extensionNotRegistered`, `typeMismatch`, `transactionTooLarge`, `extensionFailed` with what the extension
    ///   threw, `encodingFailed` if the operation does not encode. After the last two the write keeps nothing.
    /// - Complexity: that of the extension's `apply`, plus what extensions have to catch up with.
    public mutating func perform<Extension: PrimaryExtension>(
        _ operation: Extension.Operation, on extension: Extension
    ) throws {
        try draft.perform(operation, on: `extension`)
    }

    /// Changes an extension's root directly, without a logged step. A commit, and part of its changeset.
    /// - Throws: `extensionNotRegistered`, `typeMismatch`, `extensionFailed`.
    package mutating func modify<Extension: DatabaseExtension>(
        _ extension: Extension, _ body: (inout Extension.Root, ExtensionContext) throws -> Extension.Changes?
    ) throws {
        try draft.modify(`extension`, body)
    }

    /// Removes every record of every collection.
    ///
    /// The changeset says so as one fact, ``ChangeSource/didRemoveAll``.
    /// - Complexity: O(number of collections).
    public mutating func removeAll() { draft.clearAll() }

    /// Removes every record of the collection called `name`, also of one that no type is bound to.
    /// - Complexity: O(1) in the number of records.
    public mutating func removeAll(inCollectionNamed name: String) {
        guard let slot = draft.directory.slot(of: name), !draft.directory.bindings[slot].isHidden else { return }
        draft.clear(slot)
    }

    /// Runs `body` after this transaction's commit is published; never after it was undone. O(1).
    ///
    /// Several run in the order in which they were given, on the task that called `write`, before `write` returns; a
    /// ``Database/close()`` or ``Database/drain()`` of another task may have returned before. A
    /// transaction that turns out to change nothing makes no commit; its callbacks run all the same, it did succeed.
    public mutating func afterCommit(_ body: @escaping @Sendable () -> Void) {
        draft.runAfterCommit(body)
    }

    /// Forgets what was to run after the commit, of reactions that have run, too: for a write that only asks what would be.
    package mutating func dropCallbacks() { draft.dropCallbacks() }

    /// Attaches a value to the commit: it travels in the changeset (``Changeset/info(as:)``) and in the log.
    ///
    /// Alone it makes a commit, too. A second call replaces the value of the first. With a file it is encoded here, O(size);
    /// a value that does not encode makes the write throw `encodingFailed`.
    public mutating func setInfo(_ value: some Codable & Sendable) {
        draft.setInfo(value)
    }
}
