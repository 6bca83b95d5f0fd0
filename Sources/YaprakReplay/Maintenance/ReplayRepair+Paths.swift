public import Foundation
internal import SystemPackage
import YaprakCore
public import YaprakModel

// A path may be given as a string, or as a URL, as for opening a database.
extension ReplayRepair {
    /// Writes the result to a path that is given as a string, `"\(folder)/repaired.yaprak"`, and verifies it. As
    /// ``perform(to:progress:)-(FilePath,_)``.
    @_disfavoredOverload
    public func perform(
        to path: String, progress: @escaping (ReplayProgress) -> Void = { _ in }
    ) throws(DatabaseError) -> ReplayVerification {
        try perform(to: FilePath(path), progress: progress)
    }

    /// Writes the result to a URL of the file system, and verifies it. As ``perform(to:progress:)-(FilePath,_)``.
    ///
    /// - Throws: also `notADatabase` if the URL is not one of the file system.
    public func perform(
        to url: URL, progress: @escaping (ReplayProgress) -> Void = { _ in }
    ) throws(DatabaseError) -> ReplayVerification {
        try perform(to: FilePath(ofFile: url), progress: progress)
    }
}
