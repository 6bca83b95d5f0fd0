import Foundation

/// An object of a keyed archive's table.
indirect enum ArchivedObject {
    case text(String)
    case integer(UInt8)
    case real(Double)
    case bool(Bool)
    case data([UInt8])
    case uid(UInt8)
    /// An instance: the place of its class, and its fields.
    case object(UInt8, [(String, ArchivedObject)])
    case `class`(String, [String])
    case array([ArchivedObject])
    case map([(String, ArchivedObject)])
}

/// Writes keyed archives of any content: a binary property list with references, which Foundation's own writer refuses.
struct ArchiveMaker {
    private var objects: [[UInt8]] = []

    static func archive(_ objects: [ArchivedObject], root: Int) throws -> [UInt8] {
        var maker = ArchiveMaker()
        let top = maker.add(
            .map([
                ("$archiver", .text("NSKeyedArchiver")), ("$version", .integer(1)), ("$objects", .array(objects)),
                ("$top", .map([("root", .uid(UInt8(root)))])),
            ]))
        return maker.bytes(top: top)
    }

    private mutating func add(_ object: ArchivedObject) -> UInt8 {
        let bytes: [UInt8] =
            switch object {
            case .text(let text): [0x5f, 0x10, UInt8(text.utf8.count)] + Array(text.utf8)
            // A byte of its own has no sign, so a negative number takes eight.
            case .integer(let value) where value > 0x7f: [0x13] + Array(repeating: 0xff, count: 7) + [value]
            case .integer(let value): [0x10, value]
            case .bool(let value): [value ? 0x09 : 0x08]
            case .data(let bytes): [0x4f, 0x10, UInt8(bytes.count)] + bytes
            case .real(let value): [0x23] + withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) }
            case .uid(let place): [0x80, place]
            case .array(let items): [0xaf, 0x10, UInt8(items.count)] + items.map { add($0) }
            case .map(let pairs): map(pairs)
            case .object(let place, let fields): map([("$class", .uid(place))] + fields)
            case .class(let name, let all):
                map([("$classname", .text(name)), ("$classes", .array(all.map { .text($0) }))])
            }
        objects.append(bytes)
        return UInt8(objects.count - 1)
    }

    private mutating func map(_ pairs: [(String, ArchivedObject)]) -> [UInt8] {
        [0xdf, 0x10, UInt8(pairs.count)] + pairs.map { add(.text($0.0)) } + pairs.map { add($0.1) }
    }

    private func bytes(top: UInt8) -> [UInt8] {
        var bytes = Array("bplist00".utf8), offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xff)] }
        bytes += [0, 0, 0, 0, 0, 0, 2, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
        return bytes + [0, 0, 0, 0, 0, 0, 0, top] + [0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 0xff)]
    }
}
