/// The sizes that guard memory, checked before anything is allocated.
enum FormatLimits {
    /// What a file may declare for its frames. Stored may be as large as raw: what does not shrink is stored as it is.
    static let frameStoredMax: UInt32 = 256 << 20
    static let frameRawMax: UInt32 = 256 << 20
    /// One commit, all its frames together.
    static let commitBytesMax = 256 << 20
    static let padMax: UInt32 = 1 << 16
    /// Far beyond what any program commits, and far enough from the end that numbers can be counted up.
    static let commitNumberMax = UInt64(Int64.max)
    /// A checkpoint with more sections than this says so in its header (``Features/manySections``).
    static let sectionsMaxPlain = 1 << 16
    static let sectionsMax = 1 << 21
    /// A section takes at least so many bytes of its file: two frames, of which one has a payload of 16, one of 32.
    static let sectionBytesMin = 2 * Layout.frameHeaderBytes + 48
    static let chunksMax = 1 << 22
    static let ancestorsMax = 128
    static let sectionNameBytesMax = 4096
    static let sectionInfoBytesMax = 1 << 16
    static let directoryEntriesMax = 1 << 17
    /// No compressor of this family does better, so nothing that claims to is believed.
    static let expansionMax = 255
    static let expansionSlack = 64
}
