public import Foundation
internal import SystemPackage
public import YaprakCore
public import YaprakModel

// A path may be given as a string, or as a URL, as for opening a database.
extension ReplayReader {
    /// Opens the directory at a path that is given as a string: `"\(folder)/shop.yaprak"`. As ``init(_:)-(FilePath)``.
    @_disfavoredOverload
    public init(_ path: String) throws(DatabaseError) { try self.init(FilePath(path)) }

    /// Opens the directory at a URL of the file system. As ``init(_:)-(FilePath)``.
    ///
    /// - Throws: also `notADatabase` if the URL is not one of the file system.
    public init(_ url: URL) throws(DatabaseError) { try self.init(FilePath(ofFile: url)) }

    /// Opens the directory at a path that is given as a string, with the program's types and extensions. As
    /// ``init(_:collections:extensions:)-(FilePath,_,_)``.
    @_disfavoredOverload
    public init<each Object, each Metadata, each Extension: DatabaseExtension>(
        _ path: String, collections: repeat RecordCollection<each Object, each Metadata>,
        extensions: repeat each Extension
    ) throws(DatabaseError) {
        try self.init(
            FilePath(path), collections: repeat each collections, extensions: repeat each extensions)
    }

    /// Opens the directory at a URL of the file system, with the program's types and extensions. As
    /// ``init(_:collections:extensions:)-(FilePath,_,_)``.
    ///
    /// - Throws: also `notADatabase` if the URL is not one of the file system.
    public init<each Object, each Metadata, each Extension: DatabaseExtension>(
        _ url: URL, collections: repeat RecordCollection<each Object, each Metadata>,
        extensions: repeat each Extension
    ) throws(DatabaseError) {
        try self.init(
            FilePath(ofFile: url), collections: repeat each collections, extensions: repeat each extensions)
    }
}
