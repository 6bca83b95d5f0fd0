import ToolSupport
import Yaprak
import YaprakReplay

extension Failure {
    /// A collection that is not there, with those that are.
    static func noCollection(_ name: String, in snapshot: Snapshot) -> Failure {
        let number = snapshot.commitNumber, known = snapshot.collectionNames
        return Failure(
            "notFound", "there is no collection \(name.debugDescription) at commit \(number)",
            place: .init(commits: number...number, collectionName: name), exitCode: 3,
            hint: known.isEmpty
                ? "There is none at all."
                : Suggestion.sentence(for: name, among: known) ?? "There are \(Suggestion.list(known)).")
    }
}

extension Snapshot {
    /// Refuses the name of a collection that has no records here.
    func require(_ name: String) throws {
        if count(inCollectionNamed: name) == 0 { throw Failure.noCollection(name, in: self) }
    }

    /// Says on standard error that an expression names a collection that has no records here.
    func mentionAbsence(of name: String) throws {
        let hint = Suggestion.sentence(for: name, among: collectionNames).map { " " + $0 } ?? ""
        let text = "the expression names a collection \(name.debugDescription), and there is none at commit "
        try Invocation.console.err.write("yaprak: \((text + "\(commitNumber)." + hint).printable)\n")
    }
}

extension ReplayReader {
    /// Refuses the name of a collection of which nothing was found in the log and that has no records now.
    func requireCollection(_ name: String?, at number: CommitNumber? = nil) throws {
        if let name { try snapshot(at: number).require(name) }
    }
}

extension ReplayExpression {
    /// Says on standard error which collections it names that have no records. That may be as it should be, so it is no error.
    func noteAbsentCollections(in snapshot: Snapshot) throws {
        for name in collectionNames.sorted() where snapshot.count(inCollectionNamed: name) == 0 {
            try snapshot.mentionAbsence(of: name)
        }
    }
}
