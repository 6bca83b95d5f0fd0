public import Testing
public import Yaprak

/// Fails the test if two databases hold different records, or if a view that both have shows different rows.
///
///     try await importer.run(on: database)
///     expectNoDifference(database, try await Fixture.imported.fork())
///
/// The failure names each record and field that differs:
///
///     books
///       ~ dune: salesRank: 3 → 4
///       + emma: {"title": "Emma", "salesRank": 8}
///     view bySalesRank
///       ~ sci-fi
///           dune
///         + emma
///
/// Records are compared as they stand in a file: collection, key, object, metadata, version; not the commits that led there.
/// Works for databases that have nothing to do with each other, too, and for collections without types.
/// - Returns: whether there is no difference.
/// - Complexity: O(*d* · log *n*) with *d* the nodes that a database and its fork don't share; for others O(bytes of both).
///   Views are compared row by row.
@discardableResult
public func expectNoDifference(
    _ first: Snapshot, _ second: Snapshot, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Bool {
    let lines = SnapshotText.differences(from: first, to: second, views: .ofBoth)
    guard !lines.isEmpty else { return true }
    let words = comment().map { "\($0.rawValue): " } ?? ""
    reportIssue(
        "\(words)the databases differ (- the first has, + the second has)\n" + shortened(lines).joined(separator: "\n"),
        at: sourceLocation)
    return false
}

/// The same for the newest snapshots of two databases.
@discardableResult
public func expectNoDifference(
    _ first: Database, _ second: Database, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Bool {
    expectNoDifference(first.snapshot, second.snapshot, comment(), sourceLocation: sourceLocation)
}
