internal import SystemPackage
internal import YaprakModel

/// A database directory under construction: under a temporary name beside its target, until it is complete and durable.
///
/// It never replaces anything. A crash leaves the temporary directory, or the complete new one. The lock of the new database
/// is held from the beginning until the rename: a temporary directory whose lock is free belongs to a process that is gone,
/// and the next process with the same target removes it.
final class NewDirectory: Sendable {
    let segments: any Directory
    let checkpoints: any Directory
    let root: any Directory
    private let parent: any Directory
    private let path: FilePath
    private let name: String
    private let temporary: String
    /// nil on a file system without locks, where nothing counts as abandoned.
    private let lock: (any FileLock)?
    private let isDone = OnceFlag()

    /// Makes the temporary directory.
    ///
    /// - Throws: `alreadyExists`, `notFound` (the parent), `DiskError`.
    init(_ path: FilePath, random: UInt64, _ fileSystem: any FileSystem) throws {
        let parts = try PathParts.ofNew(path)
        do {
            parent = try fileSystem.openDirectory(parts.parent)
        } catch {
            guard error.errno == .noSuchFileOrDirectory else {
                throw error.asDatabaseError(writing: false, file: parts.parent.string)
            }
            throw DatabaseError(
                .notFound, "The directory \(parts.parent) can't be opened. Make it first.",
                place: .init(file: parts.parent.string), cause: error)
        }
        self.path = path
        name = parts.name
        temporary = TemporaryName.of(parts.name, random)
        guard try !Self.isTaken(path, parts.name, in: parent) else { throw Self.taken(path, cause: nil) }
        AbandonedDirectories.remove(of: name, in: parent)
        try parent.makeDirectory(temporary)
        do {
            root = try parent.openDirectory(temporary)
            lock = try Self.takeLock(in: root, path)
            try root.makeDirectory(Layout.segmentsName)
            try root.makeDirectory(Layout.checkpointsName)
            segments = try root.openDirectory(Layout.segmentsName)
            checkpoints = try root.openDirectory(Layout.checkpointsName)
        } catch {
            if let root = try? parent.openDirectory(temporary) {
                try? root.removeDirectory(Layout.segmentsName)
                try? root.removeDirectory(Layout.checkpointsName)
                try? root.unlink(Layout.lockName)
            }
            try? parent.removeDirectory(temporary)
            throw error
        }
    }

    deinit { cancel() }

    /// Writes the file of tags, if there are any.
    func write(tags: [UInt8]) throws(DiskError) {
        if tags.isEmpty { return }
        let file = try root.open(Layout.tagsName, .create)
        defer { try? file.close() }
        try file.writeAll(tags, at: 0)
        try file.sync()
    }

    /// Makes every name durable, and renames the directory to its target.
    ///
    /// - Throws: `alreadyExists` if something exists at the target by now; `DiskError`; `syncFailed` if the directory has its
    ///   name and may lose it. It stays then, complete: what was taken apart now could come back in part after a power cut.
    func finish() throws {
        try segments.sync()
        try checkpoints.sync()
        try root.sync()
        do {
            try parent.rename(temporary, to: name)
        } catch {
            if error.errno == .fileExists || error.errno == .directoryNotEmpty { throw Self.taken(path, cause: error) }
            // A file system may report an error although it did the work. What has its name is not taken apart again.
            guard !hasTemporaryName() else { throw error }
        }
        _ = isDone.set()
        lock?.release()
        do {
            // A rename is not durable until its directory is.
            try parent.sync()
        } catch {
            throw DatabaseError(
                .syncFailed,
                "\(path) is complete, but the device failed to confirm its name, and a power failure may take that back. "
                    + "Check the device, and copy the directory to another.",
                place: .init(file: path.string), cause: error)
        }
    }

    /// Whether the directory is still where it was made.
    private func hasTemporaryName() -> Bool {
        do throws(DiskError) {
            return try parent.contains(temporary)
        } catch {
            return true
        }
    }

    /// Gives up, and removes what was made.
    func cancel() {
        guard isDone.set() else { return }
        for (directory, name) in [
            (segments, Layout.segmentsName), (checkpoints, Layout.checkpointsName),
        ] {
            for file in (try? directory.list(limit: FormatLimits.directoryEntriesMax)) ?? [] {
                try? directory.unlink(file)
            }
            try? root.removeDirectory(name)
        }
        for file in (try? root.list(limit: FormatLimits.directoryEntriesMax)) ?? [] { try? root.unlink(file) }
        try? parent.removeDirectory(temporary)
        lock?.release()
    }

    private static func takeLock(in root: any Directory, _ path: FilePath) throws -> (any FileLock)? {
        do {
            if let lock = try root.lock(Layout.lockName) { return lock }
        } catch {
            return nil
        }
        // Another process took it for abandoned a moment before.
        throw DatabaseError(
            .alreadyOpen, "Another process makes \(path), too. Try again.", place: .init(file: path.string))
    }

    private static func isTaken(_ path: FilePath, _ name: String, in parent: any Directory) throws -> Bool {
        do {
            return try parent.contains(name)
        } catch {
            guard error.errno == .fileNameTooLong else { throw error }
            throw DatabaseError(
                .notFound, "\(path) can't be made: its name is longer than the file system allows. Choose another.",
                place: .init(file: path.string), cause: error)
        }
    }

    private static func taken(_ path: FilePath, cause: (any Error)?) -> DatabaseError {
        DatabaseError(
            .alreadyExists, "There is something at \(path). Choose another path, or remove it.",
            place: .init(file: path.string), cause: cause)
    }
}

extension Directory {
    /// Whether something has that name.
    ///
    /// - Throws: what does not say so.
    fileprivate func contains(_ name: String) throws(DiskError) -> Bool {
        do throws(DiskError) {
            _ = try openDirectory(name)
            return true
        } catch {
            switch error.errno {
            case .noSuchFileOrDirectory: return false
            case .notDirectory, .tooManySymbolicLinkLevels: return true
            case .permissionDenied, .notPermitted:
                // Either it may not be read, or this directory may not be entered.
                return try list(limit: .max).contains { $0.utf8.elementsEqual(name.utf8) }
            default: throw error
            }
        }
    }
}
