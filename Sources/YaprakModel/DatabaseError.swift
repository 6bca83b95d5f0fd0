/// An error of the environment: the disk, a file, stored bytes, a full device.
///
/// Failures of the disk, of files and of stored data are this one type: a code to switch over, a sentence with the place and
/// the remedy, and the underlying error, if there is one. Texts that do not parse and conflicts have types of their own, such
/// as `SearchQueryError`, and a wait that is cancelled throws `CancellationError`.
///
///     do {
///         _ = try await Database.open(at: path, collections: .books)
///     } catch let error as DatabaseError where error.code == .alreadyOpen {
///         print(error)        // alreadyOpen: shop.yaprak is open in process 4711. Close it there first.
///     }
///
/// The set of codes is open: later versions may add to it, so a `switch` needs a `default`.
/// A description contains keys, names and offsets, and never values of records. If the cause is an error of the program's
/// own, the description has its type and case only; ``cause`` has the rest.
public struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// What kind of thing went wrong.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, as printed by the tool under `--format json`.
        public let rawValue: String
        /// A code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The stable name.
        public var description: String { rawValue }
    }

    /// Where it went wrong. Each part is set if it is known.
    public struct Place: Sendable, Hashable {
        /// The file, relative to the database's directory where possible.
        public var file: String?
        /// The byte in that file.
        public var offset: UInt64?
        /// The commits concerned, oldest to newest.
        public var commits: ClosedRange<CommitNumber>?
        /// The name of the collection concerned.
        public var collectionName: String?
        /// The key concerned.
        public var key: String?

        /// A place. Leave out what is not known.
        public init(
            file: String? = nil, offset: UInt64? = nil, commits: ClosedRange<CommitNumber>? = nil,
            collectionName: String? = nil, key: String? = nil
        ) {
            self.file = file
            self.offset = offset
            self.commits = commits
            self.collectionName = collectionName
            self.key = key
        }
    }

    /// What kind of thing went wrong.
    public let code: Code
    /// What happened, and what to do about it.
    public let message: String
    /// Where it went wrong.
    public let place: Place
    /// The underlying error, if there is one. An `EncodingError` or `DecodingError` is kept without the values it carried: its
    /// kind, types and coding path remain.
    public let cause: (any Error)?

    /// An error. The message ends with a remedy.
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
    /// There is nothing at the path, and nothing was to be created there.
    public static let notFound = Self(rawValue: "notFound")
    /// The database is open already, in this process or another, or its tags are being written.
    public static let alreadyOpen = Self(rawValue: "alreadyOpen")
    /// The file system refused access.
    public static let permissionDenied = Self(rawValue: "permissionDenied")
    /// The files were written by a newer version and need a feature this one lacks.
    public static let newerFormat = Self(rawValue: "newerFormat")
    /// A commit that the log proves durable can't be read back.
    public static let corruptLog = Self(rawValue: "corruptLog")
    /// No checkpoint that the log needs can be read back.
    public static let corruptCheckpoint = Self(rawValue: "corruptCheckpoint")
    /// Replaying the log leads to a state that differs from a checkpoint.
    public static let stateDiffers = Self(rawValue: "stateDiffers")
    /// A size in a file, the number of collections, or that of forks within each other exceeds a limit.
    public static let overLimit = Self(rawValue: "overLimit")
    /// A record on disk does not decode to the type its collection is bound to.
    public static let undecodableRecord = Self(rawValue: "undecodableRecord")
    /// A migration is missing, or failed.
    public static let migrationFailed = Self(rawValue: "migrationFailed")

    /// Something exists at a path that must be free.
    public static let alreadyExists = Self(rawValue: "alreadyExists")
    /// The file system failed to read, to list or to open.
    public static let ioFailed = Self(rawValue: "ioFailed")

    // Writing.
    /// The device is full; nothing of the transaction was kept. Writes succeed again when there is space.
    public static let diskFull = Self(rawValue: "diskFull")
    /// A write to the log failed, or its files were removed; nothing of the transaction was kept.
    public static let writeFailed = Self(rawValue: "writeFailed")
    /// A sync failed: whether the transaction is durable is unknown. The database is read-only from here on.
    public static let syncFailed = Self(rawValue: "syncFailed")
    /// The database does not accept writes; the cause says why.
    public static let readOnly = Self(rawValue: "readOnly")
    /// The database is closed.
    public static let closed = Self(rawValue: "closed")
    /// A commit before this one, or one that this one has read, failed, so this one was dropped too. Try again.
    public static let abandoned = Self(rawValue: "abandoned")
    /// A record, an info or a prototype could not be encoded, or nests too deeply; or a record for a cursor of a query does not
    /// decode to one at the same place.
    public static let encodingFailed = Self(rawValue: "encodingFailed")
    /// A key is longer than the limit.
    public static let keyTooLong = Self(rawValue: "keyTooLong")
    /// An encoded object or metadata is larger than the limit.
    public static let valueTooLarge = Self(rawValue: "valueTooLarge")
    /// A transaction has more operations than the limit, or a commit more bytes.
    public static let transactionTooLarge = Self(rawValue: "transactionTooLarge")
    /// A name is empty, too long or holds control characters.
    public static let invalidName = Self(rawValue: "invalidName")

    // Reading and following.
    /// A name is bound to another type already.
    public static let typeMismatch = Self(rawValue: "typeMismatch")
    /// A collection is in use without the configuration that a handle carries.
    public static let notConfigured = Self(rawValue: "notConfigured")
    /// The consumer fell further behind than its limit allows.
    public static let laggedBehind = Self(rawValue: "laggedBehind")
    /// Retention no longer keeps the commit.
    public static let commitOutOfReach = Self(rawValue: "commitOutOfReach")
    /// A text is not a position in a log, a range of positions or a time.
    public static let invalidPosition = Self(rawValue: "invalidPosition")
    /// The file of tags is malformed.
    public static let corruptTags = Self(rawValue: "corruptTags")

    // Extensions.
    /// An extension or a reaction of that name is registered already.
    public static let nameTaken = Self(rawValue: "nameTaken")
    /// An extension that this one depends on is not registered.
    public static let missingExtension = Self(rawValue: "missingExtension")
    /// A snapshot does not have the extension that was requested from it.
    public static let extensionNotRegistered = Self(rawValue: "extensionNotRegistered")
    /// An extension's own code threw, or its primary state does not encode or decode.
    public static let extensionFailed = Self(rawValue: "extensionFailed")
    /// Reactions still wrote in the last round that a transaction has.
    public static let reactionsUnsettled = Self(rawValue: "reactionsUnsettled")
    /// A relationship restricts the removal of a record that others refer to.
    public static let removalRestricted = Self(rawValue: "removalRestricted")
    /// A record refers to one that is not there, and its relationship does not allow that.
    public static let danglingReference = Self(rawValue: "danglingReference")

    // Indexes.
    /// Two records have the same values in an index that is unique.
    public static let uniqueViolation = Self(rawValue: "uniqueViolation")
    /// What an index is asked does not fit it: a value of another type than its column, NaN, a column
    /// that it does not have. Or a text is not a cursor of the query, or there are no stems of a language.
    public static let invalidQuery = Self(rawValue: "invalidQuery")
    /// A sum is out of the range of 128 bits.
    public static let sumOverflow = Self(rawValue: "sumOverflow")
}
