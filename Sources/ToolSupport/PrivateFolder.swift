import Foundation
package import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A folder that only this user can read, and that is removed with its owner, whatever is in it.
///
///     let folder = try PrivateFolder("yaprak-bisect")
///     try write(folder.path.appending("state"))
package final class PrivateFolder: Sendable {
    /// Where it is.
    package let path: FilePath

    /// Makes one in `parent`, or else in the folder for temporary files, with an unpredictable name.
    /// - Throws: `Errno`.
    package init(_ prefix: String, in parent: FilePath? = nil) throws(Errno) {
        let parent = parent ?? FilePath(FileManager.default.temporaryDirectory.path)
        let place = parent.appending("\(prefix)-XXXXXX")
        var template = Array(place.string.utf8CString)
        // Mode 0700, and an error if anything is there.
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
        guard made else { throw Errno(rawValue: errno) }
        path = FilePath(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Removes something in it. Links are removed, not followed.
    package func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path.appending(name).string) }

    deinit { try? FileManager.default.removeItem(atPath: path.string) }
}
