internal import YaprakModel

/// The header of a segment or a checkpoint, proven by its sum.
struct FileHeader: Sendable, Hashable {
    var kind: FileKind
    /// Features without which a reader must not touch the file.
    var incompatible: UInt64 = 0
    /// Features without which a file may be read but not be appended to; none exist yet.
    var readOnlyCompatible: UInt64 = 0
    /// Features that may be ignored.
    var compatible: UInt64 = 0
    var databaseID: DatabaseID
    /// One more with each opening for writing.
    var epoch: UInt64
    /// The first commit of a segment; the commit of a checkpoint.
    var first: UInt64
    /// The segment before this one, where it ends logically, and the chain there. Zero in the first. A checkpoint names
    /// the newest segment there was when it began.
    var previousFirst: UInt64 = 0
    var previousEpoch: UInt64 = 0
    var previousEnd: UInt64 = 0
    var previousChain: UInt64 = 0
    /// Every commit up to this was durable when the file got its name.
    var attested: UInt64
    /// Seeds every sum in the file, so that frames of other files don't verify here.
    var salt: UInt64
    var padShift: UInt8
    var maxStored: UInt32
    var maxRaw: UInt32
    var createdNs: Int64
    var creator: String = Layout.creator
    var ancestors: [Lineage.Ancestor] = []
}

extension FileHeader {
    /// How many sections a checkpoint may have.
    var sectionsMax: Int {
        incompatible & Features.manySections == 0 ? FormatLimits.sectionsMaxPlain : FormatLimits.sectionsMax
    }

    /// Whose files may lie beside this one.
    var lineage: Lineage {
        Lineage(id: databaseID, ancestors: ancestors, isSalvaged: compatible & Features.salvaged != 0)
    }

    /// A header that repeats what the database is.
    init(
        kind: FileKind, lineage: Lineage, epoch: UInt64, first: UInt64, previousFirst: UInt64 = 0,
        previousEpoch: UInt64 = 0, previousEnd: UInt64 = 0, previousChain: UInt64 = 0, attested: UInt64, salt: UInt64,
        padShift: UInt8, maxStored: UInt32, maxRaw: UInt32, createdNs: Int64
    ) {
        self.init(
            kind: kind, incompatible: lineage.ancestors.isEmpty ? 0 : Features.forked,
            compatible: lineage.isSalvaged ? Features.salvaged : 0, databaseID: lineage.id, epoch: epoch, first: first,
            previousFirst: previousFirst, previousEpoch: previousEpoch, previousEnd: previousEnd,
            previousChain: previousChain, attested: attested, salt: salt, padShift: padShift, maxStored: maxStored,
            maxRaw: maxRaw, createdNs: createdNs, ancestors: lineage.ancestors)
    }
}

/// The bytes of a file header of which nothing has been proven.
struct UnprovenFileHeader {
    let bytes: [UInt8]
}

/// The header of a frame, proven by its sum.
struct FrameHeader: Sendable, Hashable {
    /// Raw, because unknown types from 0x80 on are stepped over.
    var type: UInt8
    var codec: Codec = .raw
    var flags: UInt16 = 0
    var storedLength: Int = 0
    var rawLength: Int = 0
    var first: UInt64
    var count: UInt32 = 0
    var pad: Int = 0
    var durable: UInt64
    var previousChain: UInt64
    var payloadSum: UInt64 = 0
    var headerSum: UInt64 = 0

    /// Header, payload and padding.
    var totalLength: Int { Layout.frameHeaderBytes + storedLength + pad }
}

/// The bytes of a frame header of which nothing has been proven.
struct UnprovenFrameHeader {
    let bytes: UnsafeRawBufferPointer
}

/// Why something that should be a frame is none.
enum FrameDamage: Sendable, Equatable {
    /// The file ends here.
    case endOfFile
    /// Zeros: nothing was written here yet.
    case blank
    /// The header does not verify.
    case header
    /// The frame would reach over the end, or is larger than the file allows.
    case bounds
    /// The payload does not verify.
    case payload
    /// The frame verifies, but does not follow the one before it.
    case chain
    /// The frame verifies, but what it says contradicts itself.
    case content(String)
    /// The frame needs a feature this version lacks.
    case newer(String)

    /// What to say about it.
    var sentence: String {
        switch self {
        case .endOfFile: "the file ends"
        case .blank: "nothing was written"
        case .header: "the header of the frame does not verify"
        case .bounds: "the frame is larger than its file allows"
        case .payload: "the payload of the frame does not verify"
        case .chain: "the frame does not follow the one before it"
        case .content(let what): what
        case .newer(let what): what
        }
    }
}

/// Why a file header is none.
enum HeaderDamage: Error, Sendable, Equatable {
    case tooShort
    case foreign
    case sum
    case newer(String)
    case content(String)

    /// What to say about it.
    var sentence: String {
        switch self {
        case .tooShort: "the file is shorter than its header"
        case .foreign: "the file does not start as a file of this kind"
        case .sum: "the header of the file does not verify"
        case .newer(let what): what
        case .content(let what): what
        }
    }
}
