/// Every constant of the files on disk, shared by readers and writers.
///
///     file     ┌─────────────┬───────┬───────┬───┬─────┬───────┬───
///              │ header 4096 │ frame │ frame │ … │ pad │ frame │ …
///              └─────────────┴───────┴───────┴───┴─────┴───────┴───
///     frame    ┌───────────┬─────────┬──────────────┐
///              │ header 64 │ payload │ zeros (`pad`) │
///              └───────────┴─────────┴──────────────┘
///
/// All numbers are little-endian.
enum Layout {
    static let major: UInt16 = 1
    static let minor: UInt16 = 0

    // The header of a file. It has a block of its own: data never shares a sector with it.
    static let fileHeaderBytes = 4096
    static let creatorBytes = 64
    static let creator = "Yaprak 1"
    static let checksumXXH64: UInt8 = 1
    static let codecBitLZ4: UInt8 = 1

    /// The offsets of the fields of a file header.
    enum FileField {
        static let magic = 0
        static let major = 8
        static let minor = 10
        static let headerLength = 12
        static let incompatible = 16
        static let readOnlyCompatible = 24
        static let compatible = 32
        static let databaseHigh = 40
        static let databaseLow = 48
        static let epoch = 56
        static let first = 64
        static let previousFirst = 72
        static let previousEpoch = 80
        static let previousEnd = 88
        static let previousChain = 96
        static let attested = 104
        static let salt = 112
        static let checksum = 120
        static let codecs = 121
        static let cipher = 122
        static let padShift = 123
        static let maxStored = 124
        static let maxRaw = 128
        static let createdNs = 136
        static let creator = 144
        static let ancestorCount = 208
        static let ancestors = 216
        static let sum = 4088
    }

    // The header of a frame.
    static let frameHeaderBytes = 64
    static let frameMagic: UInt32 = 0x4650_4159  // "YAPF"

    /// The offsets of the fields of a frame header.
    enum FrameField {
        static let magic = 0
        static let type = 4
        static let codec = 5
        static let flags = 6
        static let storedLength = 8
        static let rawLength = 12
        static let first = 16
        static let count = 24
        static let pad = 28
        static let durable = 32
        static let previousChain = 40
        static let payloadSum = 48
        static let headerSum = 56
    }

    // The trailer of a checkpoint.
    static let trailerBytes = 64
    static let trailerMagic: UInt64 = 0x444E_4550_4B43_5059  // "YPCKPEND"

    static let sealRotated: UInt32 = 1
    static let sealClosed: UInt32 = 2
    static let sealFixedBytes = 40
    static let sealIndexEntryBytes = 16
    static let sealIndexEntriesMax = 4096
    static let ancestorBytes = 24

    /// Sections whose content can be derived from the others. A checkpoint with damage in them only is still usable.
    static let derivedSectionKind: UInt16 = 3

    /// Frames start on multiples of this.
    static let alignment = 8

    /// The last place up to `offset` where a frame may start.
    static func alignedDown(_ offset: UInt64) -> UInt64 { offset & ~UInt64(alignment - 1) }

    // The names in the directory of a database.
    static let lockName = "LOCK"
    static let segmentsName = "wal"
    static let checkpointsName = "ckpt"
    static let tagsName = "tags"
}

/// What a file is for.
enum FileKind: UInt8, Sendable {
    case segment = 0x57  // W
    case checkpoint = 0x43  // C

    /// Eight bytes that a transfer in text mode, or one that strips the eighth bit, would change.
    var magic: [UInt8] { [0x89, 0x59, 0x50, rawValue, 0x0D, 0x0A, 0x1A, 0x0A] }

    /// The folder of such files, in the directory of a database.
    var folder: String {
        switch self {
        case .segment: Layout.segmentsName
        case .checkpoint: Layout.checkpointsName
        }
    }
}

/// What a frame is for. A reader skips unknown types from 0x80 on and refuses unknown types below.
enum FrameType: UInt8, Sendable {
    case commitGroup = 1
    case attest = 2
    case seal = 3
    case checkpointMark = 4
    case sectionBegin = 5
    case chunk = 6
    case sectionEnd = 7
    case footer = 8
    /// Fills the sector before a sync. Older readers skip it.
    case padding = 0x80

    static let firstSkippable: UInt8 = 0x80
}

/// How the payload of a frame is stored.
enum Codec: UInt8, Sendable {
    case raw = 0
    case lz4 = 1
}

/// The flags of a frame.
enum FrameFlags {
    /// The last commit of this frame continues in the next.
    static let continues: UInt16 = 1
    /// This frame continues a commit of the previous frame.
    static let continuation: UInt16 = 2
    static let known: UInt16 = continues | continuation
}
