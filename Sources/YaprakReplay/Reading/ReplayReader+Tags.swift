public import YaprakModel
import YaprakStorage

extension ReplayReader {
    /// The tags there are, in the order of their names.
    ///
    /// - Throws: `corruptTags` if the file of tags is not in its form; `permissionDenied`, `ioFailed`.
    /// - Complexity: O(*n* log *n*).
    public func tags() throws(DatabaseError) -> [LogTag] {
        guard let bytes = try store.tagFile() else { return [] }
        return try TagList(bytes).tags
    }

    /// Gives a commit a name; a commit that has the name already loses it.
    ///
    /// Writes a new file of tags and replaces the old one atomically; nothing else of the database is
    /// touched, so a program may be writing meanwhile.
    /// - Returns: the commit that had the name before.
    /// - Throws: `commitOutOfReach` for a number that no log can have; `alreadyOpen` if tags are being written elsewhere;
    ///   `corruptTags`, `overLimit`, `permissionDenied`, `ioFailed`, `diskFull`, `writeFailed`, `syncFailed`. The tags are then
    ///   as before, unless the message of `syncFailed` says that they are written: a power failure may take that back.
    /// - Complexity: O(*n* log *n*).
    @discardableResult
    public func setTag(_ name: LogTag.Name, to number: CommitNumber) throws(DatabaseError) -> CommitNumber? {
        guard number.rawValue <= LogPosition.commitNumberMax else {
            throw outOfReach(number, try newestCommitNumber())
        }
        var before: CommitNumber?
        try store.editTagFile { bytes throws(DatabaseError) in
            var list = try TagList(bytes ?? [])
            before = list.set(name, to: number)
            bytes = try list.encoded()
        }
        return before
    }

    /// Removes a tag.
    ///
    /// - Returns: the commit it stood for; `nil` if there is no such tag.
    /// - Throws: as ``setTag(_:to:)``. - Complexity: O(*n* log *n*).
    @discardableResult
    public func removeTag(_ name: LogTag.Name) throws(DatabaseError) -> CommitNumber? {
        var before: CommitNumber?
        try store.editTagFile { bytes throws(DatabaseError) in
            guard let old = bytes else { return }
            var list = try TagList(old)
            before = list.set(name, to: nil)
            bytes = before == nil ? nil : try list.encoded()
        }
        return before
    }
}
