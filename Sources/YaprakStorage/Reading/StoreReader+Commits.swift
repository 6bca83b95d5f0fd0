internal import DequeModule
internal import SystemPackage
package import YaprakModel

extension StoreReader {
    /// One commit as stored in the log.
    package struct Commit: Sendable {
        package let number: CommitNumber
        package let item: [UInt8]
        /// The file and the offset of its frame, the first one if there are several.
        package let file: String
        package let offset: UInt64
        /// The bytes of the frame's payload as stored; the last one's if there are several.
        package let frameStoredBytes: Int
        /// The epoch that wrote it; 0 if a recovery wrote it again for an earlier epoch.
        package let epoch: UInt64
    }

    /// The commits in order, from segment to segment. `next()` returns nil at the end, and may be called again later.
    ///
    /// A commit costs O(its bytes), independent of the number of segments. The directory is listed at the beginning, at an end,
    /// and where another opening of the database continued.
    ///
    /// Commits that were written and not yet acknowledged may be included.
    package struct Commits {
        private let store: StoreReader
        private let last: UInt64?
        private let skipsHoles: Bool
        private var wanted: UInt64
        private var segment: FileName
        private var reader: SegmentReader
        /// The later segments of the last listing, newest first.
        private var later: [FileName]
        private var ready = Deque<Commit>()

        init(_ store: StoreReader, first: UInt64, last: UInt64?, skippingHoles: Bool) throws {
            self.store = store
            self.last = last
            skipsHoles = skippingHoles
            wanted = first
            let segments = try store.directory.list().segments
            // Older segments with the same first commit end before it.
            guard let name = segments.last(where: { $0.first <= first }) ?? segments.first else {
                throw DatabaseError(.commitOutOfReach, "There is no log. Read the checkpoint.")
            }
            guard name.first <= first else {
                throw DatabaseError(
                    .commitOutOfReach, "Commit \(first) is older than the log, which starts with \(name.first).")
            }
            segment = name
            reader = try Self.reader(name, store)
            later = segments.filter { $0 > name }.reversed()
            if first > name.first { try seek(first, successor: segments.first { $0 > name }) }
        }

        /// Skips everything before the first commit that is wanted.
        private mutating func seek(_ first: UInt64, successor: FileName?) throws {
            let link = try successor.flatMap { try store.header($0, .segment).header }
            let follows = link?.previousFirst == segment.first && link?.previousEpoch == segment.epoch
            let limit = follows ? link?.previousEnd : nil
            var index = store.indexes[segment] ?? SegmentIndex()
            // The next segment says where this one's seal is, and the seal has an index.
            if index.places.isEmpty, let limit, let seal = try reader.seal(at: limit) { index = SegmentIndex(seal) }
            try reader.seek(first, limit: limit ?? .max, &index)
            store.indexes.keep(index, of: segment)
        }

        /// The next commit, or nil at the end.
        ///
        /// - Throws: `corruptLog`, `newerFormat`, `ioFailed`, `commitOutOfReach` (pruned meanwhile).
        package mutating func next() throws(DatabaseError) -> Commit? {
            if let last, wanted > last { return nil }
            return try translatingDiskErrors(writing: false) {
                while true {
                    while let commit = ready.popFirst() {
                        guard commit.number.rawValue >= wanted else { continue }
                        if let last, commit.number.rawValue > last {
                            ready.prepend(commit)
                            return nil
                        }
                        wanted = commit.number.rawValue + 1
                        return commit
                    }
                    guard try advance() else { return nil }
                }
            }
        }

        /// Reads one more frame, or moves to the next segment; false at the end.
        private mutating func advance() throws -> Bool {
            if try step(limit: .max) { return true }
            // The end, or a tail that has moved: check the file again, then look for the next segment.
            try reader.window.refresh()
            if try step(limit: .max) { return true }
            if let successor = try directSuccessor() {
                goOver(to: successor)
                return true
            }
            let successor = try listedSuccessor()
            // Everything written before the next segment was made is readable now.
            try reader.window.refresh()
            if let successor {
                let header = successor.reader.header
                while reader.offset < header.previousEnd {
                    guard try step(limit: header.previousEnd) else {
                        // A damaged frame without commits: the next segment continues with the next number.
                        if reader.next == header.first, reader.partialStart == nil { break }
                        throw LogError.lost(
                            reader.next...max(reader.next, header.first - min(1, header.first)), in: segment,
                            at: reader.offset, "the segment ends too early")
                    }
                }
                if header.first > reader.next, !(header.followsHole && skipsHoles) {
                    let missing = reader.next...header.first - 1
                    throw header.followsHole
                        ? LogError.hole(missing, before: successor.name)
                        : LogError.lost(missing, in: successor.name, at: 0, "it does not follow the segment before it")
                }
                goOver(to: successor)
                return true
            }
            if try step(limit: .max) { return true }
            try checkEnd()
            return false
        }

        private mutating func goOver(to successor: Successor) {
            segment = successor.name
            reader = successor.reader
            while let name = later.last, name <= segment { later.removeLast() }
        }

        private mutating func step(limit: UInt64) throws -> Bool {
            let name = reader.name
            let (epoch, attested) = (reader.header.epoch, reader.header.attested)
            var found: [Commit] = []
            let step = try reader.step(limit: limit) { number, item, frame, offset in
                found.append(
                    Commit(
                        number: CommitNumber(number), item: [UInt8](item), file: name, offset: offset,
                        frameStoredBytes: frame.storedLength, epoch: number > attested ? epoch : 0))
            }
            ready.append(contentsOf: found)
            switch step {
            case .frame: return true
            case .end(.damage(.newer(let what))):
                throw LogError.newer(what, in: name, at: reader.offset)
            case .end: return false
            }
        }

        private typealias Successor = (name: FileName, reader: SegmentReader)

        /// The next segment, if its header continues exactly here. Found without listing the directory, whose length grows with
        /// the log: from the last listing, or by the name that the same opening gives it.
        private func directSuccessor() throws -> Successor? {
            let name = later.last ?? FileName(first: reader.next, epoch: segment.epoch)
            guard name > segment, reader.partialStart == nil,
                let (file, header) = try store.openIfThere(name, .segment)
            else { return nil }
            guard let header, header.previousFirst == segment.first, header.previousEpoch == segment.epoch,
                header.previousEnd == reader.offset, header.previousChain == reader.chain, header.first == reader.next
            else {
                try? file.close()
                return nil
            }
            return (name, SegmentReader(name: name.path(.segment), header: header, window: try ReadWindow(file)))
        }

        /// The next segment by a listing of the directory.
        private mutating func listedSuccessor() throws -> Successor? {
            let segment = segment
            later = try store.directory.list().segments.filter { $0 > segment }.reversed()
            guard let next = later.last else { return nil }
            let reader = try Self.reader(next, store)
            guard reader.header.previousFirst == segment.first, reader.header.previousEpoch == segment.epoch else {
                throw DatabaseError(
                    .commitOutOfReach, "The segment after \(segment.string(.segment)) is gone. Start from a checkpoint."
                )
            }
            return (next, reader)
        }

        /// Throws if the log ends before the last commit that it calls durable.
        private mutating func checkEnd() throws {
            let found = try TailEvidence.find(in: reader.window, of: reader.header, from: reader.offset)
            guard max(found.durable, reader.durable) >= reader.next else { return }
            try reader.window.refresh()
            if try step(limit: .max) { return }
            guard max(found.durable, reader.durable) >= reader.next else { return }
            throw LogError.lost(
                reader.next...max(found.durable, reader.durable), in: segment, at: reader.offset,
                "the frames before others are damaged")
        }

        private static func reader(_ name: FileName, _ store: StoreReader) throws -> SegmentReader {
            do {
                let (file, header) = try DatabaseDirectory.open(name, .segment, in: store.directory.segments)
                return SegmentReader(
                    name: name.path(.segment), header: try LogError.proven(header, name), window: try ReadWindow(file))
            } catch let error as DiskError where error.errno == .noSuchFileOrDirectory {
                throw DatabaseError(
                    .commitOutOfReach, "\(name.string(.segment)) was pruned. Start from a checkpoint.", cause: error)
            }
        }
    }
}
