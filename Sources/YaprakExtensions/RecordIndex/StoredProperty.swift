/// A property that is stored in an object: where, and of what type.
///
/// Of one type of objects, two that are equal are the same property. Comparing key paths that differ looks at all their parts.
package struct StoredProperty: Equatable, Sendable {
    private let offset: Int
    private let type: ObjectIdentifier

    /// - Parameter offset: how many bytes into the object it stands.
    package init(_ type: any Any.Type, at offset: Int) {
        self.offset = offset
        self.type = ObjectIdentifier(type)
    }
}

extension ColumnRule {
    /// Whether it is the column of a property of what it reads.
    package func isOf(_ path: AnyKeyPath, _ property: StoredProperty?) -> Bool {
        guard let own = self.path else { return false }
        if own === path { return true }
        if let stored, let property { return stored == property }
        return own == path
    }
}
