import YaprakCBOR
import YaprakStorage

/// The info of a section.
package struct SectionInfo {
    package var version = 1
    package var tag = ""
    /// Whether a derived root is there for readers without the extension's code alone: records that the extension looks at had
    /// no type when it was computed, or the tag is not the whole one. No database adopts it.
    var isForReaders = false
    /// What records lacked when they were read comes from these.
    var prototypes = SectionPrototypes()

    /// A section's info is bounded; what would exceed that is left out.
    private static let prototypeBytesMax = 16 << 10

    init(version: Int = 1, tag: String = "", prototypes: SectionPrototypes = SectionPrototypes()) {
        self.version = version
        self.tag = tag
        self.prototypes = prototypes
    }

    /// The info of a derived root. Of a tag that there is no room for it has the beginning.
    static func ofDerived(tag: String, isForReaders: Bool) -> SectionInfo {
        var info = SectionInfo(tag: tag)
        info.isForReaders = isForReaders
        if !info.fits {
            info.tag = String(tag.unicodeScalars.prefix(1_000)) + "…"
            info.isForReaders = true
        }
        return info
    }

    /// The info of primary state. It is adopted whatever its tag is, so that one that there is no room for is left out.
    static func ofPrimary(tag: String) -> SectionInfo {
        let info = SectionInfo(tag: tag)
        return info.fits ? info : SectionInfo()
    }

    private var fits: Bool { bytes.count <= FormatLimits.sectionInfoBytesMax }

    /// Reads the info; what is missing has its default, what is unknown is skipped.
    package init(_ bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { bytes in
            var info = SectionInfo()
            if bytes.isEmpty { return info }
            var reader = CBORReader(bytes)
            for _ in 0..<(try reader.readMapHead() ?? 0) {
                switch try reader.readText() {
                case "m": info.prototypes.metadata = try reader.readBytes()
                case "p": info.prototypes.object = try reader.readBytes()
                case "t": info.tag = try reader.readText()
                case "u": info.isForReaders = try reader.readBool()
                case "v": info.version = Int(try reader.readInteger(as: Int64.self))
                default: try reader.skip()
                }
            }
            return info
        }
    }

    var bytes: [UInt8] {
        let writer = CBORWriter(capacity: 32)
        let added = [("m", prototypes.metadata), ("p", prototypes.object)].compactMap { name, item in
            item.flatMap { $0.count <= Self.prototypeBytesMax ? (name, $0) : nil }
        }
        writer.writeMapHead(count: 2 + added.count + (isForReaders ? 1 : 0))
        for (name, item) in added {
            writer.write(text: name)
            writer.write(bytes: item)
        }
        writer.write(text: "t")
        writer.write(text: tag)
        if isForReaders {
            writer.write(text: "u")
            writer.write(true)
        }
        writer.write(text: "v")
        writer.write(integer: Int64(version))
        return writer.bytes
    }
}
