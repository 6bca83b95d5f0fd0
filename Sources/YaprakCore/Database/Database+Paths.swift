public import Foundation
import SystemPackage
public import YaprakModel

// Calls that take a path take it as opening does: also given as a string, and as a URL.
extension Database {
    /// Writes a snapshot as a database of its own, at a path that is given as a string: `"\(folder)/before.yaprak"`. As
    /// ``backup(_:to:)-(_,FilePath)``.
    @_disfavoredOverload
    public nonisolated func backup(_ snapshot: Snapshot? = nil, to path: String) async throws {
        try await backup(snapshot, to: FilePath(path))
    }

    /// Writes a snapshot as a database of its own, at a URL of the file system. As ``backup(_:to:)-(_,FilePath)``.
    ///
    ///     try await database.backup(to: URL.documentsDirectory.appending(path: "before.yaprak"))
    ///
    /// - Throws: also `notADatabase` if the URL is not one of the file system.
    public nonisolated func backup(_ snapshot: Snapshot? = nil, to url: URL) async throws {
        try await backup(snapshot, to: FilePath(ofFile: url))
    }

    /// Makes the records what they are in the directory at a path that is given as a string. As
    /// ``restore(from:origin:)-(FilePath,_)``.
    @_disfavoredOverload
    @discardableResult
    public nonisolated func restore(from path: String, origin: String = "restore") async throws -> CommitNumber {
        try await restore(from: FilePath(path), origin: origin)
    }

    /// Makes the records what they are in the directory at a URL of the file system. As
    /// ``restore(from:origin:)-(FilePath,_)``.
    ///
    /// - Throws: also `notADatabase` if the URL is not one of the file system.
    @discardableResult
    public nonisolated func restore(from url: URL, origin: String = "restore") async throws -> CommitNumber {
        try await restore(from: FilePath(ofFile: url), origin: origin)
    }

    /// Rebuilds a database from the files at a path that is given as a string. As
    /// ``replay(_:upTo:checkingCoding:options:collections:)-(FilePath,_,_,_,_)``.
    @_disfavoredOverload
    public static func replay<each Object, each Metadata>(
        _ log: String, upTo last: CommitNumber? = nil, checkingCoding: Bool = false,
        options: DatabaseOptions = DatabaseOptions(),
        collections: repeat RecordCollection<each Object, each Metadata>
    ) async throws -> Database {
        try await replay(
            FilePath(log), upTo: last, checkingCoding: checkingCoding, options: options,
            collections: repeat each collections)
    }

    /// Rebuilds a database from the files at a URL of the file system. As
    /// ``replay(_:upTo:checkingCoding:options:collections:)-(FilePath,_,_,_,_)``.
    ///
    /// - Throws: also `notADatabase` if the URL is not one of the file system.
    public static func replay<each Object, each Metadata>(
        _ url: URL, upTo last: CommitNumber? = nil, checkingCoding: Bool = false,
        options: DatabaseOptions = DatabaseOptions(),
        collections: repeat RecordCollection<each Object, each Metadata>
    ) async throws -> Database {
        try await replay(
            FilePath(ofFile: url), upTo: last, checkingCoding: checkingCoding, options: options,
            collections: repeat each collections)
    }
}

extension Snapshot {
    /// Writes the snapshot as a database of its own, at a path that is given as a string. As ``write(to:)-(FilePath)``.
    @_disfavoredOverload
    public func write(to path: String) throws { try write(to: FilePath(path)) }

    /// Writes the snapshot as a database of its own, at a URL of the file system. As ``write(to:)-(FilePath)``.
    ///
    /// - Throws: also `notADatabase` if the URL is not one of the file system.
    public func write(to url: URL) throws { try write(to: FilePath(ofFile: url)) }
}
