import YaprakCBOR

/// The info of a section.
package struct SectionInfo {
    package var version = 1
    package var tag = ""

    init(version: Int = 1, tag: String = "") {
        self.version = version
        self.tag = tag
    }

    /// Reads the info; what is missing has its default, what is unknown is skipped.
    package init(_ bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { bytes in
            var info = SectionInfo()
            if bytes.isEmpty { return info }
            var reader = CBORReader(bytes)
            for _ in 0..<(try reader.readMapHead() ?? 0) {
                switch try reader.readText() {
                case "t": info.tag = try reader.readText()
                case "v": info.version = Int(try reader.readInteger(as: Int64.self))
                default: try reader.skip()
                }
            }
            return info
        }
    }

    var bytes: [UInt8] {
        let writer = CBORWriter(capacity: 32)
        writer.writeMapHead(count: 2)
        writer.write(text: "t")
        writer.write(text: tag)
        writer.write(text: "v")
        writer.write(integer: Int64(version))
        return writer.bytes
    }
}
