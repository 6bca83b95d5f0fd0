internal import SystemPackage

/// Whether a directory is that of a database, before anything in it is made, locked or changed: other programs have folders
/// named `wal`, too.
enum DirectoryOwnership {
    /// Whether a database was, or began to be, made here.
    ///
    /// One that has a file of ours is. Without one it may be a database that nothing was committed to, or what is left of one
    /// that was being made; it has no files of others then, but for what operating systems and editors leave behind.
    ///
    /// - Throws: `DiskError` where a folder can't be read.
    /// - Complexity: O(1), or O(number of files) where the lock file or a folder is missing.
    static func isDatabase(_ root: any Directory, _ names: [String]) throws(DiskError) -> Bool {
        let kinds = [FileKind.segment, .checkpoint].filter { names.contains($0.folder) }
        guard !kinds.isEmpty else { return false }
        let hasBoth = kinds.count == 2
        if hasBoth, names.contains(Layout.lockName) { return true }
        var hasOthers = false
        for kind in kinds {
            for name in try files(in: kind.folder, of: root) {
                if FileName(name, kind) != nil || FileName.isTemporary(name, kind) { return true }
                hasOthers = hasOthers || !isLitter(name)
            }
        }
        return !hasOthers && (hasBoth || names.allSatisfy { ours.contains($0) || isLitter($0) })
    }

    private static let ours = [
        Layout.lockName, Layout.segmentsName, Layout.checkpointsName, Layout.tagsName, "\(Layout.tagsName).lock",
    ]

    /// The names in a folder; its own where it is none, which is then a file of others.
    private static func files(in folder: String, of root: any Directory) throws(DiskError) -> [String] {
        do throws(DiskError) {
            return try root.openDirectory(folder).list(limit: FormatLimits.directoryEntriesMax)
        } catch {
            switch error.errno {
            case .notDirectory, .tooManySymbolicLinkLevels: return [folder]
            case .noSuchFileOrDirectory: return []
            default: throw error
            }
        }
    }

    /// What no program calls its data: hidden files, and names that systems and editors give.
    private static func isLitter(_ name: String) -> Bool {
        name.hasPrefix(".") || name.hasSuffix("~") || isLeftBySystems(name)
    }

    /// What systems and file managers leave in folders that somebody has looked at: nobody has put it there. A hidden file of
    /// another name may be somebody's data.
    static func isLeftBySystems(_ name: String) -> Bool {
        litter.contains(name) || litterPrefixes.contains(where: name.hasPrefix)
    }

    private static let litter: Set<String> = [
        "lost+found", "Thumbs.db", "desktop.ini", "Icon\r", "@eaDir", "$RECYCLE.BIN", "System Volume Information",
        ".DS_Store", ".localized", ".Trashes", ".fseventsd", ".directory",
    ]
    private static let litterPrefixes = ["._", ".Trash-", ".Spotlight-", ".nfs"]
}
