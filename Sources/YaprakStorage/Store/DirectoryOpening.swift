internal import SystemPackage
internal import YaprakModel

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Opening a directory for writing: finds or creates it, takes its lock, and refuses directories that are not ours.
enum DirectoryOpening {
    /// A directory with its lock.
    struct Opened {
        let directory: DatabaseDirectory
        let lock: any FileLock
        /// Whether this opening has made it.
        let isNew: Bool
    }

    /// Opens or creates the directory, and takes the lock before the content of any file is read.
    static func open(_ path: FilePath, creates: Bool, _ fileSystem: any FileSystem) throws(DatabaseError) -> Opened {
        try translatingDiskErrors(writing: false, file: path.string) {
            let (root, isNew) = try rootDirectory(path, creates: creates, fileSystem)
            let names = try root.list(limit: FormatLimits.directoryEntriesMax)
            let isOurs = try DirectoryOwnership.isDatabase(root, names)
            // A crash during creation leaves the directory empty, or with a lock file. One that a file manager has shown may look
            // empty and not be.
            let isEmpty = names.allSatisfy { $0 == Layout.lockName || DirectoryOwnership.isLeftBySystems($0) }
            guard isOurs || isEmpty else {
                throw DatabaseError(
                    .notADatabase, "\(path) holds other files. Give the path of a database, or of an empty directory.",
                    place: .init(file: path.string))
            }
            guard isOurs || creates else {
                throw DatabaseError(
                    .notFound, "\(path) has no database in it. Allow it to be made, or check the path.",
                    place: .init(file: path.string))
            }
            let lock = try takeLock(in: root, path)
            do {
                lock.note("pid \(getpid())\n")
                let segments = try subdirectory(Layout.segmentsName, of: root, names)
                let checkpoints = try subdirectory(Layout.checkpointsName, of: root, names)
                // A directory with a log gets no other sync of these names: see `syncNames`. If this opening is killed before
                // it, the folders get one before anything is removed (`Store.prune`). The name of the lock file needs none: a
                // power cut may take it with the closing mark, and a directory without proves less and loses nothing.
                let ours = [Layout.lockName, Layout.segmentsName, Layout.checkpointsName]
                if isOurs, !ours.allSatisfy(names.contains) { try root.sync() }
                return Opened(
                    directory: DatabaseDirectory(root: root, segments: segments, checkpoints: checkpoints), lock: lock,
                    isNew: isNew)
            } catch {
                lock.release()
                throw error
            }
        }
    }

    /// Makes the names of the directories durable. Otherwise a power cut could remove the directory with the first commit.
    /// Needed as long as there is no segment, also for directories that others created.
    ///
    /// - Parameter isNew: whether this opening has made it. If not, its parent may be one that this process may enter and not
    ///   read, or one of a file system that syncs no directories: then the program that made the directory answers for its name.
    static func syncNames(
        _ path: FilePath, _ directory: DatabaseDirectory, isNew: Bool, _ fileSystem: any FileSystem
    ) throws(DiskError) {
        try directory.root.sync()
        let parent: any Directory
        do throws(DiskError) {
            if let parts = PathParts(path) {
                parent = try fileSystem.openDirectory(parts.parent)
            } else {
                // The path ends in dots, as `.` and `shop.yaprak/.` do.
                parent = try directory.root.openDirectory("..")
            }
        } catch {
            let isHidden = error.errno == .permissionDenied || error.errno == .notPermitted
            // A simulated disk knows no dots.
            let isNone = PathParts(path) == nil && error.errno == .noSuchFileOrDirectory
            guard isHidden && !isNew || isNone else { throw error }
            return
        }
        do throws(DiskError) {
            try parent.sync()
        } catch {
            let isNone = [.invalidArgument, .notSupported, .readOnlyFileSystem].contains(error.errno)
            guard isNone, !isNew else { throw error }
        }
    }

    private static func takeLock(in root: any Directory, _ path: FilePath) throws -> any FileLock {
        do {
            if let lock = try root.lock(Layout.lockName) { return lock }
        } catch {
            // The file is made where there is none, and a full disk has no room for it.
            throw error.asDatabaseError(writing: error.isAboutSpace, file: path.string)
        }
        throw DatabaseError(
            .alreadyOpen, "\(path) is open\(holder(in: root)). Close it there first.", place: .init(file: path.string))
    }

    private static func rootDirectory(
        _ path: FilePath, creates: Bool, _ fileSystem: any FileSystem
    ) throws -> (root: any Directory, isNew: Bool) {
        do {
            return (try fileSystem.openDirectory(path), false)
        } catch {
            switch error.errno {
            case .noSuchFileOrDirectory where creates:
                break
            case .noSuchFileOrDirectory:
                throw DatabaseError(
                    .notFound, "There is nothing at \(path). Check the path.", place: .init(file: path.string),
                    cause: error)
            case .notDirectory, .tooManySymbolicLinkLevels:
                throw DatabaseError(
                    .notADatabase, "\(path) is not a directory, or a symbolic link. Give the directory itself.",
                    place: .init(file: path.string), cause: error)
            default:
                throw error
            }
        }
        let parts = try PathParts.ofNew(path)
        let parent: any Directory
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
        try makeIfAbsent(parts.name, in: parent)
        return (try parent.openDirectory(parts.name), true)
    }

    private static func subdirectory(
        _ name: String, of root: any Directory, _ names: [String]
    ) throws -> any Directory {
        if !names.contains(name) { try makeIfAbsent(name, in: root) }
        return try root.openDirectory(name)
    }

    private static func makeIfAbsent(_ name: String, in directory: any Directory) throws {
        do {
            try directory.makeDirectory(name)
        } catch {
            guard error.errno == .fileExists else { throw error.asDatabaseError(writing: true, file: name) }
        }
    }

    /// ` in process 4711`, if the lock file contains the number. Nobody writes it into a hard link, which may contain anything.
    private static func holder(in root: any Directory) -> String {
        guard let file = try? root.open(Layout.lockName, .read), (try? file.hasOtherNames()) == false,
            let bytes = try? file.readAll(32, at: 0), bytes.starts(with: "pid ".utf8)
        else { return "" }
        let digits = bytes.dropFirst(4).prefix { $0 >= 0x30 && $0 <= 0x39 }
        return digits.isEmpty ? "" : " in process \(String(decoding: digits, as: UTF8.self))"
    }
}
