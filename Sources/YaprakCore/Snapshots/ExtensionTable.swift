import Synchronization

/// The registered extensions of a state, parents before dependants, and where each is.
///
/// A copy shares everything until it is changed. Where the names are is worked out when one is first looked for, once for
/// all states between two changes of the set: O(1) from then on, where a thousand views that are read after each commit
/// would otherwise be searched a thousand times.
package struct ExtensionTable: Sendable {
    private var entries: ContiguousArray<ExtensionEntry> = []
    /// What a commit leaves as it is, in one object: each state refers to it. `nil` where there is nothing of it.
    private var rest: Rest?

    private final class Rest: Sendable {
        /// `nil` where there are so few that looking through them is faster.
        let places: Places?
        let parents: Set<String>
        let waiting: [String: StoredExtension]

        init(places: Places?, parents: Set<String>, waiting: [String: StoredExtension]) {
            (self.places, self.parents, self.waiting) = (places, parents, waiting)
        }
    }

    /// The names of those that others depend on.
    var parents: Set<String> { rest?.parents ?? [] }
    /// Primary state whose extension is not registered, by name: it belongs to the state like the roots do, so that backups and
    /// forks of a snapshot have it as it was. Setting one is O(their number).
    var waiting: [String: StoredExtension] {
        get { rest?.waiting ?? [:] }
        set { setRest(rest?.places, parents, newValue) }
    }

    private static let scannedMax = 8

    /// No extensions.
    package init() {}

    /// Where the names are; made by the first who asks.
    private final class Places: Sendable {
        private final class ByName: Sendable {
            let places: [String: Int]
            init(_ places: [String: Int]) { self.places = places }
        }

        private let byName = AtomicLazyReference<ByName>()

        func place(of name: String, in entries: ContiguousArray<ExtensionEntry>) -> Int? {
            let known =
                byName.load()
                ?? byName.storeIfNil(
                    ByName(Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.name, $0) })))
            return known.places[name]
        }
    }

    /// The index of the extension called `name`, or `nil`. O(1).
    package func index(of name: String) -> Int? {
        if let places = rest?.places { return places.place(of: name, in: entries) }
        return entries.firstIndex { $0.name == name }
    }

    /// Adds one that depends on none that comes later. O(number of extensions), as `remove(at:)`.
    package mutating func append(_ entry: ExtensionEntry) {
        entries.append(entry)
        noteChange()
    }

    /// Takes one out.
    @discardableResult
    package mutating func remove(at index: Int) -> ExtensionEntry {
        defer { noteChange() }
        return entries.remove(at: index)
    }

    private mutating func noteChange() {
        let places = entries.count > Self.scannedMax ? Places() : nil
        setRest(places, entries.reduce(into: []) { $0.formUnion($1.identity.dependencies) }, waiting)
    }

    private mutating func setRest(_ places: Places?, _ parents: Set<String>, _ waiting: [String: StoredExtension]) {
        let isNeeded = places != nil || !parents.isEmpty || !waiting.isEmpty
        rest = isNeeded ? Rest(places: places, parents: parents, waiting: waiting) : nil
    }

    /// The root of the extension at an index. Nothing else is copied.
    func root(at index: Int) -> any Sendable { entries[index].root }

    /// What is known of the extension at an index, apart from its root.
    func identity(at index: Int) -> ExtensionIdentity { entries[index].identity }
}

extension ExtensionTable: RandomAccessCollection, MutableCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { entries.count }

    /// The name of the extension at an index stays the same.
    package subscript(index: Int) -> ExtensionEntry {
        get { entries[index] }
        _modify { yield &entries[index] }
    }
}

extension ExtensionTable: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: ExtensionEntry...) { for element in elements { append(element) } }
}
