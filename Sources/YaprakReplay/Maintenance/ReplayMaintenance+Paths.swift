public import Foundation
internal import SystemPackage
import YaprakCore
public import YaprakModel

// A path may be given as a string, or as a URL, as for opening a database.
extension ReplayMaintenance {
    /// Maintenance of the database at a path that is given as a string: `"\(folder)/shop.yaprak"`. As
    /// ``init(_:)-(FilePath)``.
    @_disfavoredOverload
    public init(_ path: String) { self.init(FilePath(path)) }

    /// Maintenance of the database at a URL of the file system. As ``init(_:)-(FilePath)``.
    ///
    ///     try ReplayMaintenance(URL.documentsDirectory.appending(path: "shop.yaprak")).purgeHistory()
    ///
    /// - Throws: `notADatabase` if the URL is not one of the file system.
    public init(_ url: URL) throws(DatabaseError) { try self.init(FilePath(ofFile: url)) }
}
