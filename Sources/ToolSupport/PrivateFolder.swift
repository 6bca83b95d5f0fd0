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
        var template = parent.appending("\(prefix)-XXXXXX").cString
        // Mode 0700, and an error if anything is there.
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
        guard made else { throw Errno(rawValue: errno) }
        path = FilePath(platformString: template)
    }

    /// Removes something in it. Links are removed, not followed.
    package func remove(_ name: String) { Self.remove(path.appending(name)) }

    deinit { Self.remove(path) }

    private static func remove(_ path: FilePath) {
        var found = stat()
        guard path.withPlatformString({ lstat($0, &found) }) == 0 else { return }
        guard found.st_mode & S_IFMT == S_IFDIR else {
            _ = path.withPlatformString { unlink($0) }
            return
        }
        for name in names(in: path) { remove(path.appending(name)) }
        _ = path.withPlatformString { rmdir($0) }
    }

    private static func names(in path: FilePath) -> [FilePath.Component] {
        guard let folder = path.withPlatformString({ opendir($0) }) else { return [] }
        defer { closedir(folder) }
        var names: [FilePath.Component] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.assumingMemoryBound(to: CChar.self).baseAddress.flatMap { FilePath.Component(platformString: $0) }
            }
            if let name, name.kind == .regular { names.append(name) }
        }
        return names
    }
}
