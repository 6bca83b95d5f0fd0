#if SQLite
    public import Foundation
    import SystemPackage
    import YaprakCore
    public import YaprakModel

    // A path may be given as a string, or as a URL, as for opening a database.
    extension YapDatabaseImport {
        /// An import of the file at a path that is given as a string: `"\(folder)/old.sqlite"`. As
        /// ``init(_:)-(FilePath)``.
        @_disfavoredOverload
        public init(_ path: String) { self.init(FilePath(path)) }

        /// An import of the file at a URL of the file system. As ``init(_:)-(FilePath)``.
        ///
        ///     let old = try YapDatabaseImport(URL.documentsDirectory.appending(path: "old.sqlite"))
        ///
        /// - Throws: `notADatabase` if the URL is not one of the file system.
        public init(_ url: URL) throws(DatabaseError) { try self.init(FilePath(ofFile: url)) }
    }
#endif
