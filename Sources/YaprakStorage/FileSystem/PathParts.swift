internal import SystemPackage

/// A path, split into its parent directory and its last component.
struct PathParts {
    let parent: FilePath
    let name: String

    /// nil for a path that is a root or ends in dots.
    init?(_ path: FilePath) {
        guard let last = path.lastComponent, last.kind == .regular else { return nil }
        name = last.string
        let parent = path.removingLastComponent()
        self.parent = parent.isEmpty ? "." : parent
    }
}
