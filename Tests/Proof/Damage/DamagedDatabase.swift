internal import SystemPackage
internal import ToolSupport
internal import Yaprak
internal import YaprakCore
internal import YaprakSimulator
internal import YaprakStorage

/// A database of a stated size that is damaged bit by bit, length by length, or forged with right sums.
///
/// What is expected: the same state, a typed error, or, where the process had been killed, a tail that was reported and never
/// promised. What neither opening nor `verify` notices has an explanation by its place in the file.
package struct DamagedDatabase: Sendable {
    package struct Totals: Sendable, Equatable {
        /// Damaged copies that were opened and verified.
        package var copies = 0
        package var refused = 0
        /// It opened with the same state, and `verify` noticed.
        package var noticed = 0
        /// It opened with fewer commits, none of them promised.
        package var shorter = 0
        /// Nobody noticed, by the region of the damage.
        package var unnoticed: [String: Int] = [:]
    }

    private let disk: MemoryFileSystem
    private let states: [[String: SimulationModel.Value]]
    private let isClosed: Bool
    /// The files, with their contents and what each byte means.
    private let files: [(path: FilePath, bytes: [UInt8], regions: FileRegions)]
    package private(set) var totals = Totals()
    /// What was broken first.
    package private(set) var failure: String?

    /// How many bits all files have.
    package var bits: Int { files.reduce(0) { $0 + $1.bytes.count * 8 } }

    /// What may be damaged without anybody's notice: nothing depends on it.
    package static let harmless: Set<FileRegions.Region> = [.padding, .behindEnd, .lockText, .lockRest]

    /// What proves something and is not needed for anything else: without it less is proven, and nothing is lost.
    package static let evidence: Set<FileRegions.Region> = [.closingMark, .seal, .attest]

    /// Makes a database of about so many bytes, with two checkpoints, views' worth of sections and several segments.
    package init(bytes: Int, closes: Bool, seed: UInt64 = 1) {
        let disk = MemoryFileSystem()
        let scheduler = SeededScheduler(seed: seed)
        var options = WritingOperation.options(scheduler)
        options.store.segmentBytesMax = max(6000, bytes / 5)
        options.store.preallocationBytes = 0
        options.store.chunkBytes = 2000
        options.retention = .all
        let made = scheduler.run { [options] () -> [[String: SimulationModel.Value]] in
            var states: [[String: SimulationModel.Value]] = [[:]]
            do {
                let database = try await WritingOperation.open(disk, options)
                try await database.register(Tally())
                try await database.register(Marks())
                var key = 0
                while disk.usedBytes < bytes {
                    try await WritingOperation.put(database, key % 40, bytes: 150 + key % 7 * 120)
                    states.append(SimulationModel.records(of: database.snapshot))
                    key += 1
                    if disk.usedBytes > bytes / 4, key == 14 { try await database.checkpoint() }
                    if key == 30 { try await database.checkpoint() }
                }
                if closes { try await database.close() } else { disk.cut(afterChanges: 0) }
                try? await database.close()
            } catch {
                preconditionFailure("a disk without faults refused: \(error)")
            }
            return states
        }
        self.disk = disk.afterKill()
        states = made ?? [[:]]
        isClosed = closes
        let left = self.disk
        var paths: [FilePath] = []
        for folder in ["/db/wal", "/db/ckpt"] as [FilePath] {
            paths += left.names(folder).map { folder.appending($0) }
        }
        if left.contents("/db/LOCK") != nil { paths.append("/db/LOCK") }
        files = paths.map { path in
            let bytes = left.contents(path) ?? []
            return (path, bytes, FileRegions(bytes, path: path.string))
        }
    }

    private func damaged(_ file: FilePath, _ bytes: [UInt8]) -> MemoryFileSystem {
        let copy = disk.copy()
        copy.setContents(file, bytes)
        return copy
    }

    /// Flips bits, from one number on in steps.
    package mutating func flipBits(_ range: Range<Int>, step: Int = 1) {
        var first = 0
        for (path, bytes, regions) in files {
            let end = first + bytes.count * 8
            var bit = range.lowerBound
            if bit < first { bit += (first - bit + step - 1) / step * step }
            while bit < min(end, range.upperBound), failure == nil {
                let place = bit - first
                var copy = bytes
                copy[place / 8] ^= 1 << UInt8(place % 8)
                judge(damaged(path, copy), "bit \(place) of \(path)", regions[place / 8])
                bit += step
            }
            first = end
        }
    }

    /// Cuts every file off at every length, from one on in steps.
    package mutating func truncate(from first: Int = 0, step: Int = 1) {
        for (path, bytes, regions) in files {
            for length in stride(from: first, to: bytes.count, by: step) where failure == nil {
                // What is cut off is noticed unless all of it is harmless.
                let lost = (length..<bytes.count).map { regions[$0] }
                let region = lost.first { !Self.harmless.contains($0) } ?? .behindEnd
                // A frame without commits behind the last one with some goes unnoticed with the seal: nothing is lost.
                let explained = length >= regions.endOfCommits && region == .frameHeader ? .seal : region
                let isLastSegment = path == files.last { $0.path.string.hasSuffix("wal") }?.path
                judge(
                    damaged(path, Array(bytes[..<length])), "\(path) cut at \(length)", explained,
                    mayShorten: isLastSegment)
            }
        }
    }

    /// Changes bytes anywhere and makes all sums right again. Any state may come of it, or a typed error; no trap, no hang.
    package mutating func forge(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (path, bytes, _) = files[random.below(files.count)]
        var copy = bytes
        for _ in 0...random.below(4) {
            let at = random.chance(50) ? random.below(min(copy.count, 300)) : random.below(copy.count)
            switch random.below(4) {
            case 0: copy[at] ^= 1 << UInt8(random.below(8))
            case 1: copy[at] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)]
            case 2: for i in at..<min(copy.count, at + 8) { copy[i] = 0xFF }
            default: copy[at] = UInt8(truncatingIfNeeded: random.next())
            }
        }
        if path.string.hasSuffix("LOCK") { ChecksumMending.mendLock(&copy) } else { ChecksumMending.mend(&copy) }
        totals.copies += 1
        let image = damaged(path, copy)
        let (result, _) = open(image)
        if case .failure(let error) = result, !(error is DatabaseError) {
            failure = "forged \(seed) of \(path): \(error)"
        }
        if result == nil { failure = "forged \(seed) of \(path): opening hangs" }
        _ = try? StoreReader.open("/db", fileSystem: image).verify(level: 1)
    }

    private func open(_ image: MemoryFileSystem) -> (Result<[String: SimulationModel.Value], any Error>?, Int) {
        let scheduler = SeededScheduler(seed: 1)
        let number = Number()
        let result = scheduler.run { () -> Result<[String: SimulationModel.Value], any Error> in
            do {
                let database = try await WritingOperation.open(image, WritingOperation.options(scheduler))
                let records = SimulationModel.records(of: database.snapshot)
                number.value = Int(database.commitNumber.rawValue)
                try await database.close()
                return .success(records)
            } catch {
                return .failure(error)
            }
        }
        return (result, number.value)
    }

    private final class Number: @unchecked Sendable {
        // One task at a time.
        var value = 0
    }

    private mutating func judge(
        _ image: MemoryFileSystem, _ place: String, _ region: FileRegions.Region, mayShorten: Bool = false
    ) {
        totals.copies += 1
        // Before opening, which may write.
        let report = try? StoreReader.open("/db", fileSystem: image).verify(level: 1)
        let (result, number) = open(image)
        switch result {
        case nil: failure = "\(place), \(region.rawValue): opening hangs"
        case .failure(let error):
            guard error is DatabaseError else { return failure = "\(place), \(region.rawValue): \(error) is not typed" }
            totals.refused += 1
            if Self.harmless.contains(region) { failure = "\(place), \(region.rawValue): refused: \(error)" }
        case .success(let records):
            guard number < states.count, records == states[number] else {
                return failure = "\(place), \(region.rawValue): opens at \(number) with another state"
            }
            if number < states.count - 1 {
                totals.shorter += 1
                // A database that was closed proves its end, and what was attested is proven, too.
                if isClosed || !mayShorten {
                    failure = "\(place), \(region.rawValue): opens at \(number) of \(states.count - 1)"
                }
                return
            }
            if let report, report.severity == .clean {
                totals.unnoticed[region.rawValue, default: 0] += 1
            } else {
                totals.noticed += 1
            }
        }
    }
}
