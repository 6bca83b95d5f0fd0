/// What a property that refers to other records can be: a key, a key or nil, or several keys.
///
///     struct Book: Codable, Sendable {
///         var authorID: String            // one author, always
///         var seriesID: String?           // a series, or none
///         var tagIDs: [String]            // any number of tags
///     }
public protocol ReferenceKey: Sendable {
    /// The keys it refers to; the same key twice counts once.
    var referencedKeys: [String] { get }
    /// The value without one of the keys; `nil` if there is no such value.
    func removing(_ isRemoved: (String) -> Bool) -> Self?
}

/// A reference that can be without a key, so that ``DeleteRule/nullify`` has something to write.
public protocol NullableReferenceKey: ReferenceKey {}

extension String: ReferenceKey {
    /// Itself.
    public var referencedKeys: [String] { [self] }
    /// `nil`: a text always refers.
    public func removing(_ isRemoved: (String) -> Bool) -> String? { nil }
}

extension Optional: ReferenceKey, NullableReferenceKey where Wrapped == String {
    /// The key, or none.
    public var referencedKeys: [String] { map { [$0] } ?? [] }
    /// `nil` in the place of a removed key.
    public func removing(_ isRemoved: (String) -> Bool) -> String?? { .some(flatMap { isRemoved($0) ? nil : $0 }) }
}

extension Array: ReferenceKey, NullableReferenceKey where Element == String {
    /// The elements.
    public var referencedKeys: [String] { self }
    /// The others, in their order.
    public func removing(_ isRemoved: (String) -> Bool) -> [String]? { filter { !isRemoved($0) } }
}

extension Set: ReferenceKey, NullableReferenceKey where Element == String {
    /// The elements, ascending: a set has another order in each process, and which target comes first must not depend on that.
    public var referencedKeys: [String] { sorted() }
    /// The others.
    public func removing(_ isRemoved: (String) -> Bool) -> Set<String>? { filter { !isRemoved($0) } }
}
