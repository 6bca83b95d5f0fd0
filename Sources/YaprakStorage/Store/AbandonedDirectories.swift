/// Temporary directories of forks, backups, repairs and compactions that were killed.
enum AbandonedDirectories {
    /// Removes the temporary directories for `name` that were abandoned.
    ///
    /// A directory is removed if its name matches exactly, it holds only files of a database, and its lock is free: the process
    /// that makes it holds the lock until the rename. A directory that can't be removed stays and does no harm.
    static func remove(of name: String, in parent: any Directory) {
        guard let names = try? parent.list(limit: FormatLimits.directoryEntriesMax) else { return }
        for candidate in names where TemporaryName.isOne(candidate, for: name) { remove(candidate, in: parent) }
    }

    private static func remove(_ name: String, in parent: any Directory) {
        guard let root = try? parent.openDirectory(name), holdsOnlyOurs(root),
            let lock = (try? root.lock(Layout.lockName)) ?? nil
        else { return }
        defer { lock.release() }
        // It may have been finished, renamed and unlocked since it was opened.
        guard (try? parent.openDirectory(name)) != nil, holdsOnlyOurs(root) else { return }
        for kind in [FileKind.segment, .checkpoint] {
            if let directory = try? root.openDirectory(kind.folder) {
                for file in (try? directory.list(limit: FormatLimits.directoryEntriesMax)) ?? []
                where isOurs(file, kind) {
                    try? directory.unlink(file)
                }
            }
            try? root.removeDirectory(kind.folder)
        }
        try? root.unlink(Layout.tagsName)
        try? root.unlink(Layout.lockName)
        try? parent.removeDirectory(name)
    }

    private static func isOurs(_ name: String, _ kind: FileKind) -> Bool {
        FileName(name, kind) != nil || FileName.isTemporary(name, kind)
    }

    private static func holdsOnlyOurs(_ root: any Directory) -> Bool {
        let known = [
            Layout.lockName, Layout.tagsName, Layout.segmentsName,
            Layout.checkpointsName,
        ]
        guard let names = try? root.list(limit: FormatLimits.directoryEntriesMax), names.allSatisfy(known.contains)
        else {
            return false
        }
        for kind in [FileKind.segment, .checkpoint] where names.contains(kind.folder) {
            guard let directory = try? root.openDirectory(kind.folder),
                let files = try? directory.list(limit: FormatLimits.directoryEntriesMax),
                files.allSatisfy({ isOurs($0, kind) })
            else { return false }
        }
        return true
    }
}
