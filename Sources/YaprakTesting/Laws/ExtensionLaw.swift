internal import SystemPackage
internal import Yaprak
internal import YaprakCore
internal import YaprakSimulator

/// An extension equals its rebuild: after each commit, within a transaction, in a fork, after a reopen, registered late.
///
/// One with state of its own can't be rebuilt; it equals what it was: in a fork, after a reopen, taken out and put back.
struct ExtensionLaw<Extension: DatabaseExtension, Reading: Equatable & Sendable>: Law {
    let title: String
    var hasOnlyCommits: Bool { false }
    var omissions: [String] { [omission] }

    let `extension`: Extension
    let prepare: @Sendable (Database) async throws -> Void
    let read: @Sendable (Extension.Reader) -> Reading
    /// What is wrong with a reading by itself.
    var audit: @Sendable (Extension.Reader) -> String? = { _ in nil }
    /// Whether a commit to its collections is something to compare, though its reading stays what it is.
    var takesCommits = true
    /// Whether a reader has something that is compared, also if it is always the same.
    var hasEntries: @Sendable (Extension.Reader) -> Bool = { _ in false }
    let edit: @Sendable (inout WriteTransaction, inout Choices) throws -> Void

    private static var path: FilePath { "/law" }

    private var omission: String {
        let name = "\"\(`extension`.name)\""
        return takesCommits
            ? """
            no commit changed a collection of \(name), and its reading stayed what it was at first. Do edits write what it is \
            made of?
            """ : "\(name) never had an entry. Do edits write records that it takes?"
    }

    func run(_ script: LawScript, _ trace: LawTrace, _ options: DatabaseOptions) async -> String? {
        var options = options
        options.durability = .relaxed
        let disk = MemoryFileSystem()
        do {
            var database = try await Database.open(at: Self.path, options: options, bindings: [], fileSystem: disk)
            defer { withExtendedLifetime(database) {} }
            try await prepare(database)
            try await database.register(`extension`)
            let first = read(database.snapshot[`extension`])
            for step in script.steps {
                trace.begin()
                if let fault = try await run(step, &database, disk, trace, options) {
                    try? await database.close()
                    return fault
                }
                let reader = database.snapshot[`extension`]
                if hasEntries(reader) || read(reader) != first { trace.meet(0) }
            }
            try await database.close()
            return nil
        } catch is Refusal {
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// While it was not registered, two records got the same values: it may refuse them.
    private struct Refusal: Error {}

    private func run(
        _ step: LawScript.Step, _ database: inout Database, _ disk: MemoryFileSystem, _ trace: LawTrace,
        _ options: DatabaseOptions
    ) async throws -> String? {
        switch step {
        case .commit(let edits, let readsInside):
            if let fault = try await commit(edits, in: database, readsInside: readsInside, trace) { return fault }
            return try await compare(database, "after a commit")
        case .fork(let edits):
            trace.add(["a fork:"])
            let before = read(database.snapshot[`extension`])
            let fork = database.fork()
            if let fault = try await compare(fork, "in a fork") { return fault }
            if let fault = differs(before, read(fork.snapshot[`extension`]), "in a fork", from: .earlier) {
                return fault
            }
            if let fault = try await commit(edits, in: fork, readsInside: false, trace) { return fault }
            if let fault = try await compare(fork, "in a fork, after a commit there") { return fault }
            try await fork.close()
            return differs(before, read(database.snapshot[`extension`]), "after a commit in a fork", from: .earlier)
        case .reopen(let checkpoint, let edits):
            if checkpoint {
                trace.add(["a checkpoint"])
                try await database.checkpoint()
            }
            if let fault = try await commit(edits, in: database, readsInside: false, trace) { return fault }
            let bindings = database.snapshot.bindings
            let before = read(database.snapshot[`extension`])
            trace.add(["closed and opened again"])
            try await database.close()
            database = try await Database.open(at: Self.path, options: options, bindings: bindings, fileSystem: disk)
            let opened = database.commitNumber
            try await prepare(database)
            // What prepares may write. Then the reading from before is of other records.
            let isUnchanged = database.commitNumber == opened
            try await database.register(`extension`)
            if let fault = try await compare(database, "after a reopen") { return fault }
            guard isUnchanged else { return nil }
            return differs(before, read(database.snapshot[`extension`]), "after a reopen", from: .earlier)
        case .register(let edits):
            let before = (number: database.commitNumber, reading: read(database.snapshot[`extension`]))
            try await database.unregister(`extension`.name)
            trace.add(["not registered:"])
            if let fault = try await commit(edits, in: database, readsInside: false, trace) { return fault }
            do {
                try await database.register(`extension`)
            } catch let error as DatabaseError where error.code == .uniqueViolation {
                throw Refusal()
            }
            trace.add(["registered again"])
            if database.commitNumber == before.number {
                let found = read(database.snapshot[`extension`])
                if let fault = differs(before.reading, found, "registered again", from: .earlier) { return fault }
            }
            let commits = database.commitNumber.rawValue.counted("commit")
            return try await compare(database, "registered behind \(commits)")
        }
    }

    /// Makes a commit.
    /// - Returns: what is wrong in the middle of it.
    private func commit(
        _ edits: [LawScript.Edit], in database: Database, readsInside: Bool, _ trace: LawTrace
    ) async throws -> String? {
        if edits.isEmpty { return nil }
        let changesets = database.changesets()
        do {
            try await database.write { transaction in
                for (index, edit) in edits.enumerated() {
                    var choices = edit.choices
                    defer { trace.drew(choices.used) }
                    try self.edit(&transaction, &choices)
                    if readsInside, index == edits.count / 2 { _ = try transaction.snapshot() }
                }
            }
        } catch let error as DatabaseError where error.code == .extensionFailed {
            return "a commit throws: \(error)"
        } catch {
            // The edit refused itself, or an index did: nothing of it was kept.
            trace.refused(error)
        }
        let published = changesets.published()
        trace.add(published)
        if takesCommits, published.contains(where: concerns) { trace.meet(0) }
        return nil
    }

    private func concerns(_ changeset: Changeset) -> Bool {
        guard let names = `extension`.collectionNames else { return true }
        let changes = changeset.netChanges
        return !names.isEmpty && (changes.didRemoveAll || !Set(names).isDisjoint(with: changes.collectionNames))
    }

    /// Compares the extension with one that is made of the records.
    private func compare(_ database: Database, _ place: String) async throws -> String? {
        let reader = database.snapshot[`extension`]
        let found = read(reader)
        if let fault = audit(reader) { return "\"\(`extension`.name)\" \(place): \(fault)" }
        // There is nothing to make state of its own of.
        if `extension` is any PrimaryExtension { return nil }
        let rebuilt = database.fork()
        try await rebuilt.unregister(`extension`.name)
        do {
            try await rebuilt.register(`extension`)
        } catch let error as DatabaseError where error.code == .uniqueViolation {
            return "\"\(`extension`.name)\" has taken records \(place) that its rebuild refuses: \(error)"
        }
        return differs(read(rebuilt.snapshot[`extension`]), found, place)
    }

    /// What a reading should be equal to.
    private enum Model: String {
        case rebuild = "its rebuild"
        case earlier = "what it was"

        var signs: String { self == .rebuild ? "- rebuilt, + found" : "- before, + found" }
    }

    private func differs(
        _ expected: Reading, _ found: Reading, _ place: String, from model: Model = .rebuild
    ) -> String? {
        if expected == found { return nil }
        let difference = TextDifference.lines(from: Self.text(expected), to: Self.text(found))
        return """
            "\(`extension`.name)" differs from \(model.rawValue) \(place) (\(model.signs)):
            \(shortened(difference, to: 40).joined(separator: "\n"))
            """
    }

    /// A reading as lines: those of a list one by one.
    private static func text(_ reading: Reading) -> [String] {
        if let lines = reading as? [String] { return lines }
        if let dictionary = reading as? any Collection, Mirror(reflecting: reading).displayStyle == .dictionary {
            return dictionary.map { "\($0)" }.sorted()
        }
        return ["\(reading)"]
    }
}
