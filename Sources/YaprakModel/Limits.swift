/// How large things may get. What is over a limit makes the write throw, and nothing of it is kept.
///
/// The limits guard memory when a file is read back, and readers when they are handed a record; raising them is safe,
/// lowering them never makes what is stored unreadable. Above them stand the bounds of the file format, which no setting
/// lifts: what a writer may write, every reader reads, and what is beyond is refused as damage.
///
/// | bound of the format | |
/// | --- | --- |
/// | bytes of a key | 16 MiB |
/// | bytes of a commit | 256 MiB |
/// | operations and steps of a commit, together | 4,194,304, or one for 32 bytes of the commit if that is more |
/// | collections | 1,048,576, with names of 128 MiB together |
public struct Limits: Sendable, Hashable {
    /// A key has at most so many bytes of UTF-8 in its normal form. 64 KiB; more than 16 MiB count as 16 MiB.
    public var keyBytesMax = 64 << 10
    /// An encoded object or metadata has at most so many bytes. Checked where records are encoded: with a file, or
    /// under `checkingCoding`. 64 MiB.
    public var valueBytesMax = 64 << 20
    /// A transaction has at most so many operations. 1,000,000. Above 4,194,304 the bound of the format counts, too.
    public var operationsMax = 1_000_000
    /// A database has at most so many collections, empty ones included. 1,048,576, which is also the bound of the format.
    /// The write or the ``Database/bind(_:)`` that makes one more throws `overLimit`.
    public var collectionsMax = Limits.collectionsMax

    /// The defaults.
    public init() {}

    /// A name of a collection or an extension has at most so many bytes of UTF-8.
    @inlinable package static var nameBytesMax: Int { 255 }

    // MARK: Bounds of the format

    /// Bytes of a key, in whatever form it stands in a file.
    @inlinable package static var storedKeyBytesMax: Int { 16 << 20 }
    /// Bytes of a name in a file: one of ours, with what marks a hidden collection.
    @inlinable package static var storedNameBytesMax: Int { 1024 }
    /// Collections of a database. What a checkpoint can hold: the table of its sections is one frame.
    @inlinable package static var collectionsMax: Int { 1 << 20 }
    /// The names of all collections of a database together, in bytes.
    @inlinable package static var allNamesBytesMax: Int { 128 << 20 }

    /// The operations, steps and histories that a commit of so many bytes may have: each takes a hundred bytes of
    /// memory or so, and three in the file before compression.
    package static func elementsMax(inCommitOf bytes: Int) -> Int { max(4 << 20, bytes / 32) }
}
