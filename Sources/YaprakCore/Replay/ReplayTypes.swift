package import YaprakModel

/// The types that a replay gives to collections, and the extensions it lets follow; none of either by default.
package struct ReplayTypes: Sendable {
    let bindings: [CollectionBinding]
    let registrations: [ExtensionRegistration]

    /// Everything stays bytes.
    package static let none = ReplayTypes(bindings: [], registrations: [])

    /// Whether everything stays bytes.
    package var isEmpty: Bool { bindings.isEmpty && registrations.isEmpty }

    private init(bindings: [CollectionBinding], registrations: [ExtensionRegistration]) {
        self.bindings = bindings
        self.registrations = registrations
    }

    /// - Throws: `invalidName`, `nameTaken`, `missingExtension` if an extension comes before one it reads.
    package init<each Object, each Metadata, each Extension: DatabaseExtension>(
        collections: repeat RecordCollection<each Object, each Metadata>, extensions: repeat each Extension
    ) throws(DatabaseError) {
        var bindings: [CollectionBinding] = []
        repeat bindings.append(TypedBinding(each collections))
        var registrations: [ExtensionRegistration] = []
        repeat registrations.append(TypedRegistration(each extensions))
        for binding in bindings { if let error = invalidName(binding.name, of: "collection") { throw error } }
        var known: Set<String> = []
        for registration in registrations {
            if let error = invalidName(registration.name, of: "extension") { throw error }
            for parent in registration.dependencies where !known.contains(parent) {
                throw DatabaseError(
                    .missingExtension,
                    "extension \"\(registration.name)\" reads \"\(parent)\", which is not there. Name \"\(parent)\" before it."
                )
            }
            guard known.insert(registration.name).inserted else {
                throw DatabaseError(
                    .nameTaken, "two extensions are called \"\(registration.name)\". Name each of them once.")
            }
        }
        self.init(bindings: bindings, registrations: registrations)
    }
}
