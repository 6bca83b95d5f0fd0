import YaprakModel

extension Snapshot {
    /// What an extension knows in this snapshot.
    ///
    ///     let inbox = try snapshot.reader(of: inboxView)
    ///
    /// - Throws: ``DatabaseError`` with the code `extensionNotRegistered` if the snapshot was taken before the extension
    ///   was registered, or after it was unregistered; `typeMismatch` if the name belongs to another type.
    /// - Complexity: O(1).
    public func reader<Extension: DatabaseExtension>(of extension: Extension) throws -> Extension.Reader {
        let name = `extension`.name
        guard let index = state.extensions.index(of: name) else { throw DatabaseError.notRegistered(name) }
        guard let registration = state.extensions.registration(at: index).typed(as: Extension.self) else {
            throw DatabaseError.otherExtension(name, Extension.self)
        }
        return registration.base.reader(of: registration.root(state.extensions.root(at: index)), in: self)
    }

    /// What an extension knows in this snapshot.
    ///
    ///     for row in database.snapshot[salesRank]["sci-fi"].prefix(20) { … }
    ///
    /// - Precondition: the extension is registered in this snapshot. Where that is not known, use ``reader(of:)``, which
    ///   throws, or ``isRegistered(_:)``.
    /// - Complexity: O(1).
    public subscript<Extension: DatabaseExtension>(_ extension: Extension) -> Extension.Reader {
        do { return try reader(of: `extension`) } catch { preconditionFailure("\(error)") }
    }

    /// Whether an extension of that name is registered in this snapshot. O(1).
    public func isRegistered(_ name: String) -> Bool { state.entry(ofExtension: name) != nil }

    /// The names of the extensions registered in this snapshot, parents before dependants.
    public var extensionNames: [String] { state.extensions.map(\.registration.name) }

    /// The root of an extension of whatever type; `nil` if there is none of that name. O(1).
    package func root(ofExtensionNamed name: String) -> (any Sendable)? { state.entry(ofExtension: name)?.root }

    /// The code of the extensions registered in this snapshot, parents before dependants.
    package var extensionCodes: [any DatabaseExtension] { state.extensions.map(\.registration.code) }

    /// Who registered the extensions of this snapshot, parents before dependants: where one is another object, somebody
    /// registered again, and it may have another root.
    package var extensionIdentities: [ExtensionIdentity] { state.extensions.map(\.identity) }

    /// The version tag an extension has in this snapshot, or `nil` if it is not registered in it. O(1).
    public func versionTag(ofExtensionNamed name: String) -> String? {
        state.entry(ofExtension: name).map { $0.registration.versionTag(of: $0.root) }
    }
}
