package import SystemPackage

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The file system of the operating system.
package struct PosixFileSystem: FileSystem {
    package init() {}

    package func openDirectory(_ path: FilePath) throws(DiskError) -> any Directory {
        // The bytes of the path: as text, those that are not UTF-8 would be those of another directory.
        let descriptor = path.withPlatformString { openFlags(AT_FDCWD, $0, directoryFlags, 0) }
        guard descriptor >= 0 else { throw DiskError(.openDirectory, path.string, lastErrno()) }
        return PosixDirectory(descriptor)
    }
}
