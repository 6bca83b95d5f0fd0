package import Foundation
package import SystemPackage
package import YaprakModel

extension FilePath {
    /// The path that a URL of the file system stands for.
    ///
    /// - Throws: `notADatabase` if it is not one of the file system.
    package init(ofFile url: URL) throws(DatabaseError) {
        guard url.isFileURL else {
            throw DatabaseError(
                .notADatabase,
                "a URL of the scheme \(url.scheme ?? "none") is no place in the file system. Give a file URL.")
        }
        self.init(url.path(percentEncoded: false))
    }
}
