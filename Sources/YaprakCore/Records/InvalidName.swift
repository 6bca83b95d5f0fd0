import YaprakModel

/// The error of a name that can't be one, or `nil`.
func invalidName(_ name: String, of what: String) -> DatabaseError? {
    let bytes = name.utf8.count
    if bytes == 0 || bytes > DatabaseLimits.nameBytesMax
        || name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    {
        return DatabaseError(
            .invalidName,
            """
            the name of \(what) \(name.debugDescription) must have 1 to \(DatabaseLimits.nameBytesMax) bytes and no \
            control characters
            """
        )
    }
    return nil
}
