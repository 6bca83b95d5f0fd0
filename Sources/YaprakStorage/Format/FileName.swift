/// The name of a segment or a checkpoint: made from two numbers, never from data.
///
/// The epoch is in the name because two segments can start with the same commit: an unverified tail is written again into a
/// new segment, and the old one stays unchanged.
struct FileName: Hashable, Comparable, Sendable {
    let first: UInt64
    let epoch: UInt64

    static let epochMax: UInt64 = 9_999_999_999

    static func < (a: Self, b: Self) -> Bool { (a.first, a.epoch) < (b.first, b.epoch) }

    /// `00000000000000000001-0000000001.wal`
    func string(_ kind: FileKind) -> String { "\(digits(first, 20))-\(digits(epoch, 10)).\(Self.suffix(kind))" }

    /// The name, relative to the directory of the database: `wal/00000000000000000001-0000000001.wal`.
    func path(_ kind: FileKind) -> String { "\(kind.folder)/\(string(kind))" }

    /// The name while the file is not complete.
    func temporary(_ kind: FileKind) -> String { string(kind) + Self.temporarySuffix }

    static func suffix(_ kind: FileKind) -> String {
        switch kind {
        case .segment: "wal"
        case .checkpoint: "ckpt"
        }
    }

    private static let temporarySuffix = ".tmp"

    init(first: UInt64, epoch: UInt64) {
        self.first = first
        self.epoch = epoch
    }

    /// Reads a name; nil unless it is exactly what `string` would make.
    init?(_ name: String, _ kind: FileKind) {
        let bytes = Array(name.utf8)
        guard bytes.count == 32 + Self.suffix(kind).utf8.count, bytes[20] == UInt8(ascii: "-"),
            let first = Self.number(bytes[0..<20]), first <= FormatLimits.commitNumberMax,
            let epoch = Self.number(bytes[21..<31]),
            // A log begins with commit 1; a checkpoint may be of the state before it.
            kind == .checkpoint || first > 0
        else { return nil }
        self.init(first: first, epoch: epoch)
        guard string(kind) == name else { return nil }
    }

    /// Whether `name` is exactly a temporary name of this kind, so that it may be removed.
    static func isTemporary(_ name: String, _ kind: FileKind) -> Bool {
        name.hasSuffix(temporarySuffix) && FileName(String(name.dropLast(temporarySuffix.count)), kind) != nil
    }

    /// The final name of one of our files, alone and relative to the database's directory; nil for other files.
    static func lasting(_ name: String) -> (name: String, path: String)? {
        let lasting = name.hasSuffix(temporarySuffix) ? String(name.dropLast(temporarySuffix.count)) : name
        for kind in [FileKind.segment, .checkpoint] {
            if let file = FileName(lasting, kind) { return (lasting, file.path(kind)) }
        }
        return nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            let (shifted, over) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = shifted.addingReportingOverflow(UInt64(digit - 0x30))
            guard !over, !carry else { return nil }
            value = sum
        }
        return value
    }
}

private func digits(_ value: UInt64, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.count)) + text
}
