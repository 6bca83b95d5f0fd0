import YaprakLocks

/// The name of a collection in one word, without reference counting: for rows, which are made by the thousand.
///
/// There is one object for each name, made for the first view of the collection and kept until the process ends. Rows are
/// made on many threads at once, and a count that they share would slow them all.
@usableFromInline
package struct CollectionName: Sendable {
    private final class Text: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private static let all = Mutex<[String: CollectionName]>([:])

    private let object: Unmanaged<Text>?

    /// No name.
    @usableFromInline package static let none = CollectionName(object: nil)

    private init(object: Unmanaged<Text>?) { self.object = object }

    /// The name `text`. O(1).
    package init(_ text: String) {
        self = Self.all.withLock { all in
            if let known = all[text] { return known }
            let name = CollectionName(object: .passRetained(Text(text)))
            all[text] = name
            return name
        }
    }

    /// The name; empty for none. O(1).
    package var text: String { object?._withUnsafeGuaranteedRef { $0.text } ?? "" }
}
