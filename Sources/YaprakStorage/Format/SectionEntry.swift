/// A section of a checkpoint, as its first and last frames and the footer describe it.
///
/// The footer repeats the frames before it, so that a reader can find the sections without a scan, and so that a missing
/// frame is noticed.
struct SectionEntry: Equatable, Sendable {
    var kind: UInt16
    var name: String
    var info: [UInt8]
    var asOf: UInt64
    var offset: UInt64 = 0
    var count: UInt64 = 0
    var digest: UInt64 = 0
    var rawBytes: UInt64 = 0
    var chunks: UInt64 = 0

    /// The payload that begins a section, without the totals that are known at its end.
    func encodedBegin() -> [UInt8] {
        let name = Array(name.utf8)
        var bytes: [UInt8] = []
        bytes.append(number: kind)
        bytes.append(number: UInt16(name.count))
        bytes.append(number: UInt32(info.count))
        bytes.append(number: asOf)
        return bytes + name + info
    }

    /// The payload that ends a section.
    func encodedEnd() -> [UInt8] {
        var bytes: [UInt8] = []
        for number in [count, digest, rawBytes, chunks] { bytes.append(number: number) }
        return bytes
    }

    static let endBytes = 32

    /// Reads the payload that begins a section; nil if it is inconsistent.
    init?(begin bytes: UnsafeRawBufferPointer) {
        var cursor = ByteCursor(bytes)
        self.init(&cursor)
        guard cursor.isAtEnd else { return nil }
    }

    init(kind: UInt16, name: String, info: [UInt8], asOf: UInt64, offset: UInt64) {
        self.kind = kind
        self.name = name
        self.info = info
        self.asOf = asOf
        self.offset = offset
    }

    init?(_ cursor: inout ByteCursor) {
        guard let kind: UInt16 = cursor.number(), let nameCount: UInt16 = cursor.number(),
            let infoCount: UInt32 = cursor.number(), let asOf: UInt64 = cursor.number(),
            Int(nameCount) <= FormatLimits.sectionNameBytesMax, Int(infoCount) <= FormatLimits.sectionInfoBytesMax,
            let nameBytes = cursor.bytes(Int(nameCount)), let info = cursor.bytes(Int(infoCount)),
            let name = String(validating: nameBytes, as: UTF8.self)
        else { return nil }
        self.kind = kind
        self.name = name
        self.info = info
        self.asOf = asOf
    }

    /// Reads the payload that ends a section.
    mutating func readEnd(_ cursor: inout ByteCursor) -> Bool {
        guard let count: UInt64 = cursor.number(), let digest: UInt64 = cursor.number(),
            let rawBytes: UInt64 = cursor.number(), let chunks: UInt64 = cursor.number(), count <= UInt64(Int.max)
        else { return false }
        self.count = count
        self.digest = digest
        self.rawBytes = rawBytes
        self.chunks = chunks
        return true
    }

    /// The payload of the footer.
    static func encoded(_ entries: [SectionEntry]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: UInt32(entries.count))
        for entry in entries {
            bytes += entry.encodedBegin()
            bytes.append(number: entry.offset)
            bytes += entry.encodedEnd()
        }
        return bytes
    }

    /// Reads the payload of the footer; nil if it is inconsistent, or names more than `countMax` sections.
    static func table(_ bytes: UnsafeRawBufferPointer, countMax: Int) -> [SectionEntry]? {
        var cursor = ByteCursor(bytes)
        guard let count: UInt32 = cursor.number(), count <= countMax else { return nil }
        var entries: [SectionEntry] = []
        for _ in 0..<count {
            guard var entry = SectionEntry(&cursor), let offset: UInt64 = cursor.number() else { return nil }
            entry.offset = offset
            guard entry.readEnd(&cursor) else { return nil }
            entries.append(entry)
        }
        return cursor.isAtEnd ? entries : nil
    }
}
