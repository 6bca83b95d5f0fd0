/// How large things may get. What is over a limit makes the write throw, and nothing of it is kept.
///
/// The limits guard memory when a file is read back, and readers when they are handed a record; raising them is safe,
/// lowering them never makes what is stored unreadable.
public struct Limits: Sendable, Hashable {
    /// A key has at most so many bytes of UTF-8 in its normal form. 64 KiB.
    public var keyBytesMax = 64 << 10
    /// An encoded object or metadata has at most so many bytes. Checked where records are encoded: with a file, or
    /// under `checkingCoding`. 64 MiB.
    public var valueBytesMax = 64 << 20
    /// A transaction has at most so many operations. 1,000,000.
    public var operationsMax = 1_000_000

    /// The defaults.
    public init() {}

    /// A name of a collection or an extension has at most so many bytes of UTF-8.
    static let nameBytesMax = 255
}
