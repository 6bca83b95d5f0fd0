/// Why a record is where it is in a view, or why it is not there.
///
///     print(database.snapshot.explain("abc", in: unread))
///     // "abc" is not in view "unread": its filter, which reads the metadata, rejects its row of view "inbox".
///
/// The answer is what the view knows: what closures returned when the record last changed. No closure runs again.
public struct ViewExplanation: Sendable {
    /// The view that was asked.
    public let viewName: String
    /// The key that was asked for, in NFC.
    public let key: String
    /// The answer.
    public let answer: Answer

    /// Why a record is where it is, or why it is not there.
    public enum Answer: Sendable, Hashable {
        /// It is in the view: here.
        case placed([Place])
        /// No collection of the view has a record under the key; the names are those of the view's collections.
        case noRecord(collectionNames: [String])
        /// The collection that was asked for is not one of the view's. It has none where it makes its rows.
        case otherCollection(String, collectionNames: [String])
        /// The grouping closure of a view said that the record belongs to no group.
        case notGrouped(by: Closure)
        /// The record was never put into a manual view.
        case notPut(inViewNamed: String)
        /// The view has a row for each group of another one, and that has no group of this name.
        case noGroup(inViewNamed: String)
        /// A filter rejected the row that the parent has.
        case rejected(by: Closure, parentName: String)
    }

    /// A closure of a view, known by what it reads.
    public struct Closure: Sendable, Hashable {
        /// The view whose closure it is: the one that was asked, or one it is made of.
        public let viewName: String
        /// What the closure reads: "key", "object", "metadata", "object and metadata", with "group" where it does; "record and
        /// the one it refers to" in a view of a relationship, "words" in a view of what a search finds.
        public let reads: String

        package init(viewName: String, reads: String) {
            self.viewName = viewName
            self.reads = reads
        }
    }

    /// One place of a row.
    public struct Place: Sendable, Hashable {
        /// The group.
        public let group: String
        /// The position in the group.
        public let index: Int
        /// The number of rows in the group.
        public let count: Int
        /// What the row was sorted by, as Swift writes it; `nil` if its record is compared with others or stands by its key.
        public let sortValue: String?
        /// The row before, if there is one.
        public let previous: Neighbour?
        /// The row after, if there is one.
        public let next: Neighbour?
    }

    /// A row beside another.
    public struct Neighbour: Sendable, Hashable {
        /// Its key.
        public let key: String
        /// What it was sorted by.
        public let sortValue: String?
    }
}

extension ViewExplanation: CustomStringConvertible {
    /// The whole of it in a sentence or two.
    public var description: String {
        switch answer {
        case .placed(let places):
            return places.map { "\(quoted(key)) is in \($0)" }.joined(separator: "; ")
                + ", in view \(quoted(viewName))."
        case .noRecord(let names):
            return "\(absence): there is no record of that key in \(listed(names))."
        case .otherCollection(let name, let names):
            if names.isEmpty { return "\(absence): its rows are not records of \(quoted(name))." }
            return "\(absence): it looks at \(listed(names)), not at \(quoted(name))."
        case .notGrouped(let closure):
            let whose =
                closure.viewName == viewName ? "its grouping" : "the grouping of view \(quoted(closure.viewName))"
            return "\(absence): \(whose), which reads the \(closure.reads), puts the record into no group."
        case .notPut(let name):
            let whose = name == viewName ? "it" : "view \(quoted(name))"
            return "\(absence): nobody has put the record into \(whose)."
        case .noGroup(let name):
            return "\(absence): view \(quoted(name)) has no group of that name."
        case .rejected(let closure, let parent):
            let whose = closure.viewName == viewName ? "its filter" : "the filter of view \(quoted(closure.viewName))"
            return "\(absence): \(whose), which reads the \(closure.reads), rejects its row of view \(quoted(parent))."
        }
    }

    private var absence: String { "\(quoted(key)) is not in view \(quoted(viewName))" }
}

extension ViewExplanation.Place: CustomStringConvertible {
    /// The place in words.
    public var description: String {
        var text = "group \(quoted(group)) at \(index) of \(count)"
        if let sortValue { text += ", sorted by \(sortValue)" }
        switch (previous, next) {
        case (let previous?, let next?): text += ", between \(previous) and \(next)"
        case (let previous?, nil): text += ", after \(previous)"
        case (nil, let next?): text += ", before \(next)"
        case (nil, nil): break
        }
        return text
    }
}

extension ViewExplanation.Neighbour: CustomStringConvertible {
    /// The key, and what it was sorted by.
    public var description: String { quoted(key) + (sortValue.map { " (\($0))" } ?? "") }
}

private func quoted(_ text: String) -> String { "\"\(text)\"" }
private func listed(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }
