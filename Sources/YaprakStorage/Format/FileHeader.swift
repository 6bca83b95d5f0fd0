internal import YaprakModel

/// The header of a segment or a checkpoint, verified by its checksum.
struct FileHeader: Sendable, Hashable {
    var kind: FileKind
    /// Features without which a reader must not touch the file.
    var incompatible: UInt64 = 0
    /// Features that a writer must know and a reader need not. None exist yet; any bit is refused, also for reading.
    var readOnlyCompatible: UInt64 = 0
    /// Features that may be ignored.
    var compatible: UInt64 = 0
    var databaseID: DatabaseID
    /// Increases by one with each opening for writing.
    var epoch: UInt64
    /// The first commit of a segment; the commit of a checkpoint.
    var first: UInt64
    /// The previous segment, its logical end, and the chain there. Zero in the first segment. A checkpoint names the newest
    /// segment at the time it was begun.
    var previousFirst: UInt64 = 0
    var previousEpoch: UInt64 = 0
    var previousEnd: UInt64 = 0
    var previousChain: UInt64 = 0
    /// Every commit up to this one was durable when the file got its name.
    var attested: UInt64
    /// The seed of every checksum in the file, so that frames of other files don't verify here.
    var salt: UInt64
    var padShift: UInt8
    var maxStored: UInt32
    var maxRaw: UInt32
    var createdNs: Int64
    var creator: String = Layout.creator
    var ancestors: [Lineage.Ancestor] = []
}

extension FileHeader {
    /// Whether the commits between the segment before and this one are missing, because a repair could not read them.
    var followsHole: Bool { compatible & Features.followsHole != 0 }

    /// How many sections a checkpoint may have.
    var sectionsMax: Int {
        incompatible & Features.manySections == 0 ? FormatLimits.sectionsMaxPlain : FormatLimits.sectionsMax
    }
}
