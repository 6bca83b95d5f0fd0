import YaprakModel

extension DatabaseError {
    /// The error of an extension that is asked for where it is not.
    static func notRegistered(_ name: String) -> DatabaseError {
        DatabaseError(
            .extensionNotRegistered,
            """
            extension "\(name)" is not registered in what is read here. Await database.register(…) first; a snapshot \
            taken before that does not have it.
            """
        )
    }

    /// The error of an extension whose name belongs to one of another type.
    static func otherExtension(_ name: String, _ type: any Any.Type) -> DatabaseError {
        DatabaseError(
            .typeMismatch,
            "the name \"\(name)\" belongs to an extension of another type than \(type). Use one name for each.")
    }
}
