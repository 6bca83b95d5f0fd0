internal import Foundation
public import Testing
public import Yaprak

/// Fails the test if a database is not what a text in the test says.
///
///     expectSnapshot(
///         of: database,
///         matches: """
///             books
///               dune
///                 salesRank: 3
///                 title: "Dune"
///             view bySalesRank
///               sci-fi: dune
///             """)
///
/// Write the call without `matches:` and run the test: the text is written into the source file, for review. With
/// `YAPRAK_UPDATE_SNAPSHOTS=1` in the environment, texts that differ are written again. A test that writes a text fails, so
/// that it is noticed.
/// - Parameters:
///   - snapshot: what to show; at most 1,000 records.
///   - collections: the collections to show; all if `nil`.
///   - views: whether the rows of views are shown.
///   - expected: the text.
///   - sourceLocation: the call, where the text is written.
/// - Returns: whether the text is the same.
@discardableResult
public func expectSnapshot(
    of snapshot: Snapshot, collections: [String]? = nil, views: Bool = true, matches expected: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Bool {
    let count = (collections ?? snapshot.collectionNames).reduce(0) { $0 + snapshot.count(inCollectionNamed: $1) }
    guard count <= SnapshotText.recordsMax else {
        reportIssue(
            "\(count.counted("record")) are more than anybody reviews. Name some collections, or use expectChanges(in:).",
            at: sourceLocation)
        return false
    }
    let lines = SnapshotText.lines(of: snapshot, collections: collections, withViews: views)
    return expect(lines, toMatch: expected, at: sourceLocation)
}

/// The same for the newest snapshot of a database.
@discardableResult
public func expectSnapshot(
    of database: Database, collections: [String]? = nil, views: Bool = true, matches expected: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Bool {
    expectSnapshot(
        of: database.snapshot, collections: collections, views: views, matches: expected,
        sourceLocation: sourceLocation)
}

/// Fails the test if what a block changes in a database is not what a text in the test says.
///
///     try await expectChanges(
///         in: database,
///         matches: """
///             books
///               ~ dune: salesRank: 3 → 1
///             view bySalesRank
///               ~ sci-fi
///                   - emma
///                     dune
///                   + emma
///             """
///     ) {
///         try await shop.promote("dune")
///     }
///
/// The difference of the snapshots before and after, of records, fields and views; what happened in between and was undone is
/// not in it. The text is written into the source file as by ``expectSnapshot(of:collections:views:matches:sourceLocation:)-(Snapshot,_,_,_,_)``.
/// - Returns: what the block returns.
/// - Throws: what the block throws; nothing is compared then.
@discardableResult
public nonisolated(nonsending) func expectChanges<Result>(
    in database: Database, views: Bool = true, matches expected: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
) async rethrows -> Result {
    let before = database.snapshot
    let result = try await body()
    let lines = SnapshotText.differences(from: before, to: database.snapshot, views: views ? .all : .none)
    expect(
        lines.isEmpty ? ["(nothing)"] : lines, toMatch: expected, at: sourceLocation)
    return result
}

/// Compares a text with that of the test, and writes it there if it is missing, or if that is asked for.
@discardableResult
private func expect(
    _ lines: [String], toMatch expected: String?, at place: SourceLocation
) -> Bool {
    var wanted = expected?.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    while let last = wanted?.last, last.allSatisfy(\.isWhitespace) { wanted?.removeLast() }
    if wanted == lines { return true }
    if wanted == nil || ProcessInfo.processInfo.environment["YAPRAK_UPDATE_SNAPSHOTS"] == "1" {
        do {
            try SourceRecorder.shared.record(
                lines, insteadOf: expected, inCallAt: place.line, place.column, of: place.filePath)
            reportIssue("The text was written into the test. Review it, and run the test again.", at: place)
        } catch {
            reportIssue("\(error)\nThe text is:\n\(lines.joined(separator: "\n"))", at: place)
        }
        return false
    }
    let difference = shortened(TextDifference.lines(from: wanted ?? [], to: lines))
    reportIssue(
        """
        The text of the test differs (- expected, + found). Run with YAPRAK_UPDATE_SNAPSHOTS=1 to write what was found.
        \(difference.joined(separator: "\n"))
        """, at: place)
    return false
}
