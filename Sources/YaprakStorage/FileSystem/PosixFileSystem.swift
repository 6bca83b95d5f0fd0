package import SystemPackage

/// The file system of the operating system.
package struct PosixFileSystem: FileSystem {
    package init() {}
    package func openDirectory(_ path: FilePath) throws(DiskError) -> any Directory {
        throw DiskError(.openDirectory, path.string, .noSuchFileOrDirectory)
    }
}
