/// The limits on sizes and counts. A write that exceeds one throws, and nothing of it is kept.
///
/// The limits protect memory when a file is read, and readers from records that are too large. Raising them is safe, and
/// lowering them never makes stored data unreadable. The bounds of the file format are fixed: every reader reads what a
/// writer may write, and treats anything beyond as damage.
///
/// | bound of the format | |
/// | --- | --- |
/// | bytes of a key | 16 MiB |
/// | bytes of an encoded object, and of encoded metadata | 119 MiB: what a record has fits in one part of a checkpoint |
/// | bytes of a commit | 256 MiB |
/// | operations and steps of a commit, together | 4,194,304, or one for 32 bytes of the commit if that is more |
/// | levels of a record within a record | 256, ``recordLevelsMax``: 514 arrays, maps and tags within each other |
/// | collections | 1,048,576, with names of 128 MiB together |
public struct DatabaseLimits: Sendable, Hashable {
    /// The bytes of a key, as UTF-8 in its normal form. 64 KiB; more than 16 MiB counts as 16 MiB.
    public var keyBytesMax = 64 << 10
    /// The bytes of an encoded object, and of encoded metadata. Checked where records are encoded: with a file, or
    /// with `checkingCoding`. 64 MiB; more than 119 MiB counts as 119 MiB.
    public var valueBytesMax = 64 << 20
    /// The operations of a transaction. 1,000,000. Above 4,194,304 the bound of the format applies as well.
    public var operationsMax = 1_000_000
    /// The collections of a database, including empty ones. 1,048,576, which is also the bound of the format. A write or a
    /// ``Database/bind(_:)`` that creates one more throws `overLimit`.
    public var collectionsMax = DatabaseLimits.collectionsMax

    /// The defaults.
    public init() {}

    /// The levels of records within a record, in memory as in a file.
    ///
    ///     struct Comment: Codable { var text = "", replies: [Comment] = [] }
    ///
    /// Each level counts as two arrays, maps or tags of CBOR, which is what an array, a dictionary or a case of an enumeration
    /// takes. The object of a record, and its metadata, may therefore nest 514. A type that holds itself in a property
    /// takes one for each level, and may nest deeper. A write beyond the limit throws `encodingFailed` with the key.
    /// Coders other than CBOR have limits of their own.
    public static let recordLevelsMax = 256

    /// The bytes of the name of a collection or an extension, as UTF-8.
    @inlinable package static var nameBytesMax: Int { 255 }

    /// What ``valueBytesMax`` counts as.
    @inlinable package var effectiveValueBytesMax: Int { min(valueBytesMax, Self.storedValueBytesMax) }

    // MARK: Bounds of the format

    /// Bytes of a key in a file, in its normal form or not.
    @inlinable package static var storedKeyBytesMax: Int { 16 << 20 }
    /// Bytes of an encoded object or metadata in a commit. Both fit in a chunk of a checkpoint with their key, whichever commits
    /// they came with.
    @inlinable package static var storedValueBytesMax: Int { 119 << 20 }
    /// Bytes of a name in a file, including the mark of a hidden collection.
    @inlinable package static var storedNameBytesMax: Int { 1024 }
    /// Collections of a database. A checkpoint holds no more: its table of sections is one frame.
    @inlinable package static var collectionsMax: Int { 1 << 20 }
    /// The names of all collections of a database together, in bytes.
    @inlinable package static var allNamesBytesMax: Int { 128 << 20 }

    /// The operations, steps and histories that a commit of so many bytes may have. Each takes about a hundred bytes of
    /// memory, and three in the file before compression.
    package static func elementsMax(inCommitOf bytes: Int) -> Int { max(4 << 20, bytes / 32) }
}
