public import SystemPackage
public import YaprakModel
import YaprakStorage

/// What a fork on disk was made of.
///
///     let fork = try reader.fork(at: 4711, to: "before.yaprak")
///     print(fork.linkedByteCount, fork.copiedByteCount)
public struct ReplayFork: Sendable, Hashable {
    /// The commit it ends with.
    public let commitNumber: CommitNumber
    /// The identity in the files it writes: thirty-two hexadecimal digits.
    public let databaseID: String
    /// Files that both directories have.
    public let linkedFileCount: Int
    /// The bytes of files that both directories have.
    public let linkedByteCount: UInt64
    /// Files that were written for the fork.
    public let copiedFileCount: Int
    /// The bytes of files that were written for the fork.
    public let copiedByteCount: UInt64
    /// Why files were copied that could have been shared, such as another file system; `nil` if none were.
    public let reasonForCopies: String?
    /// The tags that came along.
    public let tagCount: Int
}

extension ReplayReader {
    /// Makes a database directory whose state and history are those of this one up to a commit.
    ///
    ///     try reader.fork(at: 4711, to: "before.yaprak")
    ///     let database = try await Database.open(at: "before.yaprak", collections: .books)
    ///
    /// A database like any other, with commit numbers that continue from the commit, and its own identity. Files that no
    /// program will ever write to again (sealed segments, checkpoints) are shared by hard link where the file system allows,
    /// so a fork of gigabytes takes milliseconds and no space; what the commit cuts through is copied. Neither directory
    /// can harm the other: each removes its own names only. Checkpoints after the commit, with what they keep of
    /// views, are left out; tags up to it come along.
    ///
    /// A program may be writing to the source meanwhile. The new directory appears under its name when it is whole and
    /// durable, and never replaces anything.
    /// - Parameters:
    ///   - number: the commit; the newest there is if `nil`.
    ///   - path: where to make it. Its parent exists, it does not.
    /// - Throws: `alreadyExists`, `notFound` if the parent isn't there or the path can't be made, `alreadyOpen` if another
    ///   process makes the same directory, `commitOutOfReach`; `overLimit` for a fork of more than 128 forks of forks, behind
    ///   the last commit that there can be, and for a directory with too many files; `corruptLog`, `corruptCheckpoint`,
    ///   `corruptTags`, `newerFormat`, `permissionDenied`, `ioFailed`, `diskFull`, `writeFailed`, `syncFailed`. No directory is
    ///   left then, unless the sync of its name failed.
    /// - Complexity: O(bytes of the nearest checkpoint and of the log since then; number of files).
    @discardableResult
    public func fork(at number: CommitNumber? = nil, to path: FilePath) throws(DatabaseError) -> ReplayFork {
        var tagCount = 0
        let report = try store.fork(at: number, to: path) { number in
            let tags = try self.tags().filter { $0.number <= number }
            tagCount = tags.count
            return tags.flatMap { Array("\($0.name) \($0.number)\n".utf8) }
        }
        return ReplayFork(report, tagCount: tagCount)
    }
}

extension ReplayFork {
    init(_ report: ForkReport, tagCount: Int) {
        self.init(
            commitNumber: report.number, databaseID: report.databaseID.description,
            linkedFileCount: report.linkedFiles, linkedByteCount: report.linkedBytes,
            copiedFileCount: report.copiedFiles, copiedByteCount: report.copiedBytes,
            reasonForCopies: report.reasonForCopies.map { "\($0)" }, tagCount: tagCount)
    }
}
