import SystemPackage

import YaprakStorage

/// A directory that a test puts under a reader, which must change nothing: every call that would is refused.
protocol ReadOnlyDirectory: Directory {}

extension ReadOnlyDirectory {
    private func refused(_ operation: DiskError.Operation, _ name: String) -> DiskError {
        DiskError(operation, name, .readOnlyFileSystem)
    }
    func makeDirectory(_ name: String) throws(DiskError) { throw refused(.makeDirectory, name) }
    func rename(_ source: String, to target: String) throws(DiskError) { throw refused(.rename, target) }
    func replace(_ target: String, by source: String) throws(DiskError) { throw refused(.rename, target) }
    func unlink(_ name: String) throws(DiskError) { throw refused(.unlink, name) }
    func removeDirectory(_ name: String) throws(DiskError) { throw refused(.removeDirectory, name) }
    func sync() throws(DiskError) { throw refused(.syncDirectory, ".") }
    func lock(_ name: String) throws(DiskError) -> (any FileLock)? { throw refused(.lock, name) }
    func waitForOthers(microseconds: UInt32) {}
}
