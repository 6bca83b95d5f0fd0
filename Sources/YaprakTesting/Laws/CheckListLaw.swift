public import Testing
internal import ToolSupport
public import Yaprak
internal import YaprakCore
internal import YaprakExtensions

/// Checks the law of lists for a view of a program's own: the list as it was, and its changes, give the list as it is.
///
///     @Test func `The inbox moves its rows right`() async {
///         var sections = ViewMappings(inbox, groups: ["today", "earlier"])
///         sections.setRangeForAllGroups(.fixed(length: 5, from: .beginning))
///         await checkListLaw(of: inbox, mappings: [ViewMappings(inbox), sections]) { transaction, choices in
///             transaction[.mails][choices.key(among: 9)] = choices.chance(30) ? nil : .random(using: &choices)
///         }
///     }
///
/// Random histories of commits are made of `edit`. Between commits, forwards, backwards and far apart, the changes that the
/// mappings report are applied as a table applies them. After each commit the view itself is checked, too: every row where
/// its closures put it, in the order that they give. A view of another view, or of a relationship, is compared with one that is
/// registered afresh: its rows, their order, and what it has made of a group, by `==`. A view fails whose closures depend on
/// something else than the record, or whose order contradicts itself. If something fails, the history is shrunk, and the test
/// fails with the shortest one as text. It fails, too, if there was nothing to look at: if no list ever showed a row.
///
/// Changes also have to name each row whose object differs by `==`, so that it is drawn again. That is checked for records whose
/// objects are `Equatable`, and for what a view has made of a group.
/// - Parameters:
///   - view: the view.
///   - mappings: the lists that show it; all its groups if `nil`.
///   - histories: how many are made.
///   - seed: the seed of the first history; the following numbers are those of the others. `YAPRAK_SEED` in the environment
///     repeats one.
///   - preparing: registers the views that this one reads.
///   - sourceLocation: where the failure is shown.
///   - edit: makes one random change, of what it draws from its choices and of nothing else.
/// - Returns: whether the law holds; false if the task was cancelled before all histories were tried.
@discardableResult
public func checkListLaw<View: OrderedView>(
    of view: View, mappings: [ViewMappings<View>]? = nil, histories: Int = 30, seed: UInt64 = 1,
    preparing: @escaping @Sendable (Database) async throws -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation,
    using edit: @escaping @Sendable (_ transaction: inout WriteTransaction, _ choices: inout Choices) throws -> Void
) async -> Bool {
    await ListLaw(view: view, mappings: mappings ?? [ViewMappings(view)], prepare: preparing, edit: edit)
        .check(histories: histories, seed: seed, at: sourceLocation)
}

/// The list as it was, and the changes, give the list as it is.
private struct ListLaw<View: OrderedView>: Law {
    var title: String { "checkListLaw" }
    var hasOnlyCommits: Bool { true }
    var omissions: [String] {
        if mappings.isEmpty { return ["there are no mappings. Give some, or leave them out for a list of all groups."] }
        return [
            """
            no list of "\(view.name)" ever showed a row. Do edits write what the view shows, into the groups of the list? If \
            they do so rarely, make more histories.
            """
        ]
    }

    let view: View
    let mappings: [ViewMappings<View>]
    let prepare: @Sendable (Database) async throws -> Void
    let edit: @Sendable (inout WriteTransaction, inout Choices) throws -> Void

    func run(_ script: LawScript, _ trace: LawTrace, _ options: DatabaseOptions) async -> String? {
        let database = Database.inMemory(options: options)
        do {
            try await prepare(database)
            try await database.register(view)
            var snapshots = [database.snapshot]
            for step in script.steps {
                trace.begin()
                if let fault = try await commit(step.edits, in: database, trace) { return fault }
                snapshots.append(database.snapshot)
                if let fault = try await fault(in: database) { return fault }
            }
            for (index, mappings) in mappings.enumerated() {
                if let fault = try walk(snapshots, mappings, whenShown: { trace.meet(0) }) {
                    return mappings.view.name + (self.mappings.count > 1 ? ", mappings \(index)" : "") + ": " + fault
                }
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func commit(_ edits: [LawScript.Edit], in database: Database, _ trace: LawTrace) async throws -> String? {
        let changesets = database.changesets()
        do {
            try await database.write { transaction in
                for edit in edits {
                    var choices = edit.choices
                    defer { trace.drew(choices.used) }
                    try self.edit(&transaction, &choices)
                }
            }
        } catch let error as DatabaseError where error.code == .extensionFailed {
            return "a commit throws: \(error)"
        } catch {
            trace.refused(error)
        }
        trace.add(changesets.published())
        return nil
    }

    /// What is wrong with the view itself.
    private func fault(in database: Database) async throws -> String? {
        let snapshot = database.snapshot
        let state = snapshot[view].state
        // What a write has exchanged can't be made again of the view; a filter's closure is asked then.
        let isExchanged = state.root.configuration.versionTag != view.versionTag
        let report = state.verify(parent: isExchanged ? parent(in: snapshot) : nil)
        if let row = report.misplaced.first {
            let key = state.rowID(inGroup: row.group, at: row.index).key
            return """
                row \(row.index) of group "\(row.group)" ("\(key)") does not come after the row before it. The order of the view \
                contradicts itself, or depends on more than the two records.
                """
        }
        if let row = report.misjudged.first {
            return """
                "\(row.key)" is not where the closures of the view put it now. They depend on more than the record.
                """
        }
        guard report.isSound else { return "the view is inconsistent: \(report)" }
        // There is nothing to make state of its own of.
        if report.askedClosures || view is any PrimaryExtension { return nil }
        return try await difference(fromRebuildOf: database)
    }

    /// The view that this one reads, if it reads one.
    private func parent(in snapshot: Snapshot) -> ViewState? {
        if view is any PrimaryExtension { return nil }
        return snapshot.views.first { view.dependencies.contains($0.name) }?.state
    }

    /// In what the view differs from one whose closures were asked about every row just now.
    private func difference(fromRebuildOf database: Database) async throws -> String? {
        let rebuilt = database.fork()
        try await rebuilt.unregister(view.name)
        try await rebuilt.register(view)
        let (wanted, found) = (rebuilt.snapshot[view].state, database.snapshot[view].state)
        let (wantedRows, foundRows) = (ViewRows(wanted), ViewRows(found))
        if wantedRows == foundRows { return nil }
        let lines = TextDifference.lines(from: ViewText.lines(of: wanted), to: ViewText.lines(of: found))
        if lines.isEmpty {
            let row = foundRows.firstDifference(from: wantedRows)
            return """
                "\(view.name)" differs from its rebuild in what no text shows: the object of row "\(row?.id.key ?? "")" in \
                group "\(row?.group ?? "")" is not equal to the one that is made again, and encodes alike. Its closures depend \
                on more than the records that they get, or the `==` of the object does.
                """
        }
        return """
            "\(view.name)" differs from its rebuild. Its closures depend on more than the records that they get \
            (- rebuilt, + found):
            \(shortened(lines, to: 40).joined(separator: "\n"))
            """
    }

    /// Goes from snapshot to snapshot: to each next one, back to the first, and then anywhere.
    /// - Parameter noteRows: called if the list shows a row.
    private func walk(
        _ snapshots: [Snapshot], _ mappings: ViewMappings<View>, whenShown noteRows: () -> Void
    ) throws -> String? {
        var random = SplitMix64(seed: UInt64(snapshots.count))
        let jumps = (0..<2 * snapshots.count).map { _ in random.below(snapshots.count) }
        var sections = mappings
        var shown = snapshots[0]
        try sections.update(to: shown)
        for index in Array(snapshots.indices) + snapshots.indices.reversed() + jumps {
            let next = snapshots[index]
            let before = ListImage(shown, sections)
            let changes = try sections.advance(from: shown, to: next)
            let after = ListImage(next, sections)
            if !after.isEmpty { noteRows() }
            let place = "from commit \(shown.commitNumber) to \(next.commitNumber)"
            let words = (changes.sectionChanges.map { "\($0)" } + changes.rowChanges.map { "\($0)" }).joined(
                separator: "; ")
            if !changes.isReload {
                let result: ListImage
                do {
                    result = try before.applying(changes, reading: after)
                } catch {
                    return "\(place): \(error) (\(words))"
                }
                if result.lines != after.lines {
                    let lines = TextDifference.lines(from: after.lines, to: result.lines)
                    return "\(place): the changes \(words) lead elsewhere (- the list, + where they lead)\n"
                        + lines.joined(separator: "\n")
                }
                if let difference = result.firstDifference(from: after) {
                    return "\(place): after the changes \(words), \(difference)"
                }
            }
            shown = next
        }
        return nil
    }
}
