public import Foundation
internal import SystemPackage
import YaprakCore
public import YaprakModel

extension ReplayReader {
    /// Makes a database directory of what there is up to a commit, at a path that is given as a string:
    /// `"\(folder)/before.yaprak"`. As ``fork(at:to:)-(_,FilePath)``.
    @_disfavoredOverload
    @discardableResult
    public func fork(at number: CommitNumber? = nil, to path: String) throws(DatabaseError) -> ReplayFork {
        try fork(at: number, to: FilePath(path))
    }

    /// Makes a database directory of what there is up to a commit, at a URL of the file system. As
    /// ``fork(at:to:)-(_,FilePath)``.
    ///
    /// - Throws: also `notADatabase` if the URL is not one of the file system.
    @discardableResult
    public func fork(at number: CommitNumber? = nil, to url: URL) throws(DatabaseError) -> ReplayFork {
        try fork(at: number, to: FilePath(ofFile: url))
    }
}
