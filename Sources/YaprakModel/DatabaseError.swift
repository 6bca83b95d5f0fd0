/// What went wrong outside of the program's own promises: the disk, a file, the user's bytes, a full device.
///
/// One error type for the whole engine: a code to switch over, a sentence that names the place and the remedy, and the
/// error underneath, if there was one.
///
///     do {
///         _ = try await Database.open(at: path, collections: .books)
///     } catch let error as DatabaseError where error.code == .alreadyOpen {
///         print(error)        // alreadyOpen: shop.yaprak is open in process 4711. Close it there first.
///     }
///
/// The set of codes is open: later versions may add to it, so a `switch` needs a `default`.
/// Values of records are never part of a description; keys, names and offsets are. Of a cause that is the program's own error,
/// a description has the type and the case only; ask ``cause`` for the rest.
public struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// What kind of thing went wrong.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, as printed by the tool under `--format json`.
        public let rawValue: String
        /// A code of that name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The stable name.
        public var description: String { rawValue }
    }

    /// Where it went wrong; each part is there when it is known.
    public struct Place: Sendable, Hashable {
        /// The file, relative to the database's directory where possible.
        public var file: String?
        /// The byte in that file.
        public var offset: UInt64?
        /// The commits concerned, oldest to newest.
        public var commits: ClosedRange<CommitNumber>?
        /// The collection concerned.
        public var collection: String?
        /// The key concerned.
        public var key: String?

        /// A place with the parts that are known.
        public init(
            file: String? = nil, offset: UInt64? = nil, commits: ClosedRange<CommitNumber>? = nil,
            collection: String? = nil, key: String? = nil
        ) {
            self.file = file
            self.offset = offset
            self.commits = commits
            self.collection = collection
            self.key = key
        }
    }

    /// What kind of thing went wrong.
    public let code: Code
    /// A sentence that says what happened and what to do about it.
    public let message: String
    /// Where it went wrong.
    public let place: Place
    /// The error underneath, if there was one. An `EncodingError` or `DecodingError` is here without the values it carried: its
    /// kind, types and coding path are kept.
    public let cause: (any Error)?

    /// An error with its remedy.
    public init(_ code: Code, _ message: String, place: Place = Place(), cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.place = place
        self.cause = cause.map(ErrorText.redacted)
    }

    /// `code: message`, and the cause behind it.
    public var description: String {
        guard let cause else { return "\(code): \(message)" }
        return "\(code): \(message) (\(ErrorText.of(cause)))"
    }
}

extension DatabaseError: ErrorWithoutValues {}

extension DatabaseError.Code {
    // Opening.
    /// The path is not a database directory.
    public static let notADatabase = Self(rawValue: "notADatabase")
    /// There is nothing at the path, and nothing was to be made there.
    public static let notFound = Self(rawValue: "notFound")
    /// The database is open already, in this process or another.
    public static let alreadyOpen = Self(rawValue: "alreadyOpen")
    /// The file system refused access.
    public static let permissionDenied = Self(rawValue: "permissionDenied")
    /// The files were written by a newer version and need a feature this one lacks.
    public static let newerFormat = Self(rawValue: "newerFormat")
    /// A commit that the log proves durable can't be read back.
    public static let corruptLog = Self(rawValue: "corruptLog")
    /// No checkpoint that the log needs can be read back.
    public static let corruptCheckpoint = Self(rawValue: "corruptCheckpoint")
    /// Replaying the log leads to another state than a checkpoint holds.
    public static let stateDiffers = Self(rawValue: "stateDiffers")
    /// A size in a file, or the number of collections, is over the limit that guards memory.
    public static let overLimit = Self(rawValue: "overLimit")
    /// A record on disk does not decode to the type its collection is bound to.
    public static let undecodableRecord = Self(rawValue: "undecodableRecord")
    /// A migration is missing, or failed.
    public static let migrationFailed = Self(rawValue: "migrationFailed")

    /// There is something at a path that must be free.
    public static let alreadyExists = Self(rawValue: "alreadyExists")
    /// The file system failed to read, to list or to open.
    public static let ioFailed = Self(rawValue: "ioFailed")

    // Writing.
    /// The device is full; nothing of the transaction was kept. Writing goes on when there is space again.
    public static let diskFull = Self(rawValue: "diskFull")
    /// A write to the log failed; nothing of the transaction was kept.
    public static let writeFailed = Self(rawValue: "writeFailed")
    /// A sync failed: whether the transaction is durable is unknown. The database is read-only from here.
    public static let syncFailed = Self(rawValue: "syncFailed")
    /// The database does not take writes; the cause says why.
    public static let readOnly = Self(rawValue: "readOnly")
    /// The database is closed.
    public static let closed = Self(rawValue: "closed")
    /// The transaction stood behind one that failed, and went with it. Try again.
    public static let abandoned = Self(rawValue: "abandoned")
    /// A record could not be encoded.
    public static let encodingFailed = Self(rawValue: "encodingFailed")
    /// A key is longer than the limit.
    public static let keyTooLong = Self(rawValue: "keyTooLong")
    /// An encoded object or metadata is larger than the limit.
    public static let valueTooLarge = Self(rawValue: "valueTooLarge")
    /// A transaction has more operations than the limit.
    public static let transactionTooLarge = Self(rawValue: "transactionTooLarge")
    /// A name is empty, too long or holds control characters.
    public static let invalidName = Self(rawValue: "invalidName")

    // Reading and following.
    /// A name is bound to another type already.
    public static let typeMismatch = Self(rawValue: "typeMismatch")
    /// A collection is in use without the configuration that a handle brings along.
    public static let notConfigured = Self(rawValue: "notConfigured")
    /// The consumer fell further behind than the limit it was given.
    public static let laggedBehind = Self(rawValue: "laggedBehind")
    /// The commit is older than what retention keeps.
    public static let commitOutOfReach = Self(rawValue: "commitOutOfReach")
    /// A text is no position in a log, no range of positions, no time.
    public static let invalidPosition = Self(rawValue: "invalidPosition")
    /// The file of tags is not in its form.
    public static let corruptTags = Self(rawValue: "corruptTags")

    // Extensions.
    /// An extension of that name is registered already.
    public static let nameTaken = Self(rawValue: "nameTaken")
    /// An extension that this one depends on is not registered.
    public static let missingExtension = Self(rawValue: "missingExtension")
    /// An extension was asked for in a snapshot that does not have it.
    public static let extensionNotRegistered = Self(rawValue: "extensionNotRegistered")
    /// An extension's own code threw.
    public static let extensionFailed = Self(rawValue: "extensionFailed")
}
