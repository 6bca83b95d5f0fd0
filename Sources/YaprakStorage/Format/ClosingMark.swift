internal import SystemPackage
internal import YaprakModel

/// The record of a clean close in the lock file: where the log ended.
///
///     ┌ magic 8 │ database 16 │ commit 8 │ first 8 │ epoch 8 │ salt 8 │ end 8 │ chain 8 │ sum 8 ┐
///
/// A segment alone can't prove its own end: truncated after a whole frame it looks like one that never had more. The mark
/// is written when the seal is durable, and synced before the close returns.
///
/// A mark stays true: each opening writes to segments of its own, so nothing is appended after that end, and a durable commit
/// stays durable. The mark need not be removed before the next commit. A crash at any moment leaves the old mark, the new
/// one or one with a wrong checksum, and none of them claims too much. The mark counts only while the segment it names is,
/// or should be, the newest: it says nothing about a copy of a running database, which has newer segments.
struct ClosingMark: Equatable, Sendable {
    var database: DatabaseID
    /// The newest commit.
    var last: UInt64
    var segment: FileName
    /// The salt of the segment: it identifies the file among others of the same name.
    var salt: UInt64
    /// The logical end of the segment, where a seal begins, and the chain there.
    var end: UInt64
    var chain: UInt64

    /// In a sector of its own, after the text about the holder of the lock.
    static let offset: UInt64 = 512
    static let byteCount = 80
    private static let magic: UInt64 = 0x4553_4F4C_434B_5059  // "YPKCLOSE"

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        for number in [
            Self.magic, database.high, database.low, last, segment.first, segment.epoch, salt, end, chain,
        ] {
            bytes.append(number: number)
        }
        bytes.append(number: XXH64.hash(bytes, seed: Self.offset))
        return bytes
    }

    init(database: DatabaseID, last: UInt64, segment: FileName, salt: UInt64, end: UInt64, chain: UInt64) {
        self.database = database
        self.last = last
        self.segment = segment
        self.salt = salt
        self.end = end
        self.chain = chain
    }

    /// Reads a mark; nil unless its checksum is right.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes.number(at: 0) as UInt64 == Self.magic,
            XXH64.hash(Array(bytes[..<72]), seed: Self.offset) == bytes.number(at: 72) as UInt64
        else { return nil }
        let numbers: [UInt64] = (1...8).map { bytes.number(at: 8 * $0) }
        guard numbers[2] <= FormatLimits.commitNumberMax, (1...FormatLimits.commitNumberMax).contains(numbers[3]),
            numbers[4] <= FileName.epochMax
        else { return nil }
        database = DatabaseID(high: numbers[0], low: numbers[1])
        last = numbers[2]
        segment = FileName(first: numbers[3], epoch: numbers[4])
        salt = numbers[5]
        end = numbers[6]
        chain = numbers[7]
    }

    /// The mark in a directory; nil if there is none. An unreadable mark proves nothing.
    static func read(in root: any Directory) -> ClosingMark? { (try? find(in: root)) ?? nil }

    /// The same for an opening, which is not to miss a proof because the process has no descriptor left.
    ///
    /// - Throws: what does not say that there is no mark.
    static func find(in root: any Directory) throws(DiskError) -> ClosingMark? {
        do throws(DiskError) {
            let file = try root.open(Layout.lockName, .read)
            defer { try? file.close() }
            return ClosingMark(try file.readAll(byteCount, at: offset))
        } catch {
            guard error.saysNothing else { throw error }
            return nil
        }
    }

    /// Writes the mark and syncs it. A lock file that is a hard link, which may lead out of the directory, gets none.
    func write(in root: any Directory) throws(DiskError) {
        var isNew = false
        let file: any File
        do throws(DiskError) {
            file = try root.open(Layout.lockName, .write)
        } catch {
            guard error.errno == .noSuchFileOrDirectory else { throw error }
            // Somebody has removed it.
            file = try root.open(Layout.lockName, .createIfAbsent)
            isNew = true
        }
        defer { try? file.close() }
        guard try !file.hasOtherNames() else { return }
        try file.writeAll(encoded(), at: Self.offset)
        try file.syncData()
        if isNew { try root.sync() }
    }

    /// Whether it is about this segment.
    func names(_ name: FileName, _ header: FileHeader) -> Bool { segment == name && salt == header.salt }

    /// The newest commit that it proves durable in a directory with this newest segment; 0 if it proves nothing.
    ///
    /// - Parameters:
    ///   - lineage: nil if no file says whose directory this is: then the mark is all there is to go by.
    ///   - newest: nil if there is no segment.
    func evidence(for lineage: Lineage?, newest: (name: FileName, header: FileHeader?)?) -> UInt64 {
        guard lineage.map({ $0.id == database }) ?? (newest == nil) else { return 0 }
        guard let newest else { return last }
        if newest.name < segment { return last }
        guard let header = newest.header, names(newest.name, header) else { return 0 }
        return last
    }
}
