/// The bounds of the format that protect memory. They are checked before anything is allocated.
package enum FormatLimits {
    /// What a file may declare for its frames. Stored may be as large as raw: what does not compress is stored as it is.
    static let frameStoredMax: UInt32 = 256 << 20
    static let frameRawMax: UInt32 = 256 << 20
    /// One commit, all its frames together.
    static let commitBytesMax = 256 << 20
    /// Sixteen times as many as a writer puts into one: a reader holds them all, and a few bytes each are small when
    /// compressed.
    static let frameCommitsMax: UInt32 = 1 << 16
    static let padMax: UInt32 = 1 << 16
    /// Beyond what any program commits, and far enough from the maximum that numbers can be incremented.
    static let commitNumberMax = UInt64(Int64.max)
    /// A checkpoint with more sections than this says so in its header (``Features/manySections``).
    static let sectionsMaxPlain = 1 << 16
    static let sectionsMax = 1 << 21
    /// The smallest section: two frames, one with a payload of 16 bytes and one of 32.
    static let sectionBytesMin = 2 * Layout.frameHeaderBytes + 48
    static let chunksMax = 1 << 22
    static let ancestorsMax = 128
    static let sectionNameBytesMax = 4096
    package static let sectionInfoBytesMax = 1 << 16
    static let directoryEntriesMax = 1 << 17
    /// How many names of the folder of the log are kept free of commits: for openings and checkpoints, which end the need.
    static let directoryEntriesKept = 64
    /// LZ4 can't compress better than this, so a header that claims more is damaged.
    static let expansionMax = 255
    static let expansionSlack = 64
}
