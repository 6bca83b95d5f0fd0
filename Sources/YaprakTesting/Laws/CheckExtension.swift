public import Testing
public import Yaprak

/// Checks that an extension of a program's own keeps its promise: it equals what is computed from the records.
///
///     @Test func `The counter equals a count`() async {
///         await checkExtension(Counter(), reading: { $0 }) { transaction, choices in
///             transaction[.books][choices.key(among: 9)] = choices.chance(30) ? nil : Book(title: "x")
///         }
///     }
///
/// Random histories of commits are made of `edit`. After each commit, in forks, after a checkpoint and a reopen of its files
/// (on a simulated disk), and when it is registered late, the extension is compared with one that is registered afresh.
/// Transactions that read it before they end are among the histories. If a comparison fails, the history is shrunk, and
/// the test fails with the shortest one as text.
/// - Parameters:
///   - extension: the extension. A `PrimaryExtension` has state of its own, which can't be recomputed: it is compared with what
///     it was, in forks, after a reopen (from its steps in the log, from a checkpoint, from both), and when it is taken out and
///     put back. Let `edit` perform its operations.
///   - histories: how many are made.
///   - seed: the seed of the first history; the following numbers are those of the others. `YAPRAK_SEED` in the environment
///     repeats one.
///   - sourceLocation: where the failure is shown.
///   - preparing: binds collections and registers extensions that this one reads; called for each opening. A reopen at which it
///     writes is compared with a rebuild alone, not with what was before: write only where `commitNumber` is 0.
///   - reading: what is compared: a value that follows from the reader. Make it a list of texts for readable differences.
///   - edit: makes one random change, of what it draws from its choices and of nothing else. It may throw; the transaction is
///     then undone. If all throw, or none changes the reading or a collection of the extension, nothing was tried, and the test
///     fails.
/// - Returns: whether the law holds; false if the task was cancelled before all histories were tried.
@discardableResult
public func checkExtension<Extension: DatabaseExtension, Reading: Equatable & Sendable>(
    _ extension: Extension, histories: Int = 30, seed: UInt64 = 1,
    preparing: @escaping @Sendable (Database) async throws -> Void = { _ in },
    reading: @escaping @Sendable (Extension.Reader) -> Reading, sourceLocation: SourceLocation = #_sourceLocation,
    using edit: @escaping @Sendable (_ transaction: inout WriteTransaction, _ choices: inout Choices) throws -> Void
) async -> Bool {
    await ExtensionLaw(
        title: "checkExtension", extension: `extension`, prepare: preparing, read: reading, edit: edit
    ).check(histories: histories, seed: seed, at: sourceLocation)
}

/// Checks that an index finds the records that it should, in the right order.
///
/// The histories are those of ``checkExtension(_:histories:seed:preparing:reading:sourceLocation:using:)``.
///
///     await checkIndex(genreRank) { transaction, choices in … }
///
/// A column whose closure depends on something else than the record, on the language of the device, say, fails here. So does a
/// check in which the index never has an entry: nothing was tried.
/// - Parameters:
///   - index: the index. If it is unique, transactions that it refuses are undone and not counted as failures.
///   - histories: how many are made.
///   - seed: the seed of the first history.
///   - preparing: binds collections, and registers extensions that `edit` reads; called for each opening. A reopen at which it
///     writes is compared with a rebuild alone, not with what was before: write only where `commitNumber` is 0.
///   - sourceLocation: where the failure is shown.
///   - edit: makes one random change.
/// - Returns: whether the law holds; false if the task was cancelled before all histories were tried.
@discardableResult
public func checkIndex<Object, Metadata>(
    _ index: RecordIndex<Object, Metadata>, histories: Int = 30, seed: UInt64 = 1,
    preparing: @escaping @Sendable (Database) async throws -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation,
    using edit: @escaping @Sendable (_ transaction: inout WriteTransaction, _ choices: inout Choices) throws -> Void
) async -> Bool {
    await ExtensionLaw(
        title: "checkIndex", extension: index, prepare: preparing, read: { Array($0.keys) },
        audit: { rows in
            // The columns of each record are asked once more: a rebuild may have the same order by luck.
            let lost = rows.keys.first { rows.offset(of: $0) == nil }
            return lost.map { "no entry of \($0.debugDescription) is where its columns put it now" }
        },
        takesCommits: false, hasEntries: { $0.count > 0 }, edit: edit
    ).check(histories: histories, seed: seed, at: sourceLocation)
}
