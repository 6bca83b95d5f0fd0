/// The newest commits that a segment has behind the places where others say that it ends.
///
/// Only one of its successors is right, and a damaged or hostile copy may have a hundred thousand. All are answered together:
/// each byte is read once for what frames call durable, and each frame once for its commits, however many places lead to it.
struct SegmentReaches {
    /// Where a successor says that the segment ends.
    private struct Claim: Hashable {
        let offset: UInt64
        let chain: UInt64
        let next: UInt64
    }

    private var newest: [Claim: UInt64] = [:]

    /// Of a segment that can't be read.
    init() {}

    /// - Parameters:
    ///   - start: a reader of the segment.
    ///   - successors: the headers that say where it ends.
    /// - Throws: `DiskError`.
    /// - Complexity: O(bytes behind the first of these places, *n* log *n*).
    init(_ start: SegmentReader, successors: [FileHeader]) throws {
        let claims = Set(successors.map(Self.claim))
        let ascending = claims.sorted { $0.offset < $1.offset }
        guard let first = ascending.first else { return }
        let durables = try Self.durables(start, from: first.offset)
        for claim in ascending where newest[claim] == nil {
            var reader = start
            reader.jump(to: claim.offset, chain: claim.chain, next: claim.next)
            // Reading from any of these leads to the same end.
            var passed = [claim]
            while try !Self.isAtSeal(reader), case .frame = try reader.step(limit: .max, { _, _, _, _ in }) {
                let here = Claim(offset: reader.offset, chain: reader.chain, next: reader.next)
                if reader.partialStart == nil, claims.contains(here) { passed.append(here) }
            }
            for claim in passed {
                let place = durables.partitioningIndex { $0.offset >= claim.offset }
                newest[claim] = max(reader.next - 1, place < durables.count ? durables[place].commit : 0)
            }
        }
    }

    /// The newest commit that the segment has, or calls durable, from the place on where a successor says that it ends; the one
    /// before the successor if there is none; nil if the segment can't be read.
    func newestCommit(behind successor: FileHeader) -> UInt64? { newest[Self.claim(successor)] }

    private static func claim(_ successor: FileHeader) -> Claim {
        Claim(offset: successor.previousEnd, chain: successor.previousChain, next: successor.first)
    }

    /// Nothing follows a seal, and so its payload, which may be long, need not be read for each claim.
    private static func isAtSeal(_ reader: SegmentReader) throws(DiskError) -> Bool {
        guard let bytes = try reader.window.bytes(at: reader.offset, count: Layout.frameHeaderBytes) else {
            return false
        }
        return UnprovenFrameHeader(bytes: bytes).verifies(salt: reader.header.salt, offset: reader.offset)
            && bytes[Layout.FrameField.type] == FrameType.seal.rawValue
    }

    /// Frames, and what they call durable: ascending, and each calls less durable than the one before. So the first from a place
    /// on says the most of all from there on.
    private static func durables(
        _ reader: SegmentReader, from start: UInt64
    ) throws(DiskError) -> [(offset: UInt64, commit: UInt64)] {
        var durables: [(offset: UInt64, commit: UInt64)] = []
        let window = reader.window
        let first = Layout.alignedDown(min(start, window.size).addingClamped(UInt64(Layout.alignment - 1)))
        var scan = FrameScan(window, from: first, before: window.size)
        while let at = try scan.next(), let bytes = try window.bytes(at: at, count: Layout.frameHeaderBytes) {
            let frame = UnprovenFrameHeader(bytes: bytes)
            guard let commit = frame.provenDurable(salt: reader.header.salt, offset: at) else { continue }
            while let last = durables.last, last.commit <= commit { durables.removeLast() }
            durables.append((at, commit))
        }
        return durables
    }
}
