internal import SystemPackage
internal import YaprakModel

/// A path, split into its parent directory and its last component.
struct PathParts {
    let parent: FilePath
    /// nil if it is not UTF-8: names in directories are texts here.
    private let text: String?

    /// nil for a path that is a root or ends in dots.
    init?(_ path: FilePath) {
        guard let last = path.lastComponent, last.kind == .regular else { return nil }
        text = String(validating: last)
        let parent = path.removingLastComponent()
        self.parent = parent.isEmpty ? "." : parent
    }

    /// The parts of a path where a directory is to be made.
    ///
    /// - Throws: `notFound`.
    static func ofNew(_ path: FilePath) throws(DatabaseError) -> (parent: FilePath, name: String) {
        guard let parts = PathParts(path) else {
            throw DatabaseError(.notFound, "\(path) can't be made.", place: .init(file: path.string))
        }
        guard let name = parts.text else {
            throw DatabaseError(
                .notFound, "\(path) can't be made: its name is not UTF-8. Choose another.",
                place: .init(file: path.string))
        }
        return (parts.parent, name)
    }
}
