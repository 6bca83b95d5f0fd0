internal import Proof
internal import Yaprak
internal import YaprakCBOR
internal import YaprakReplay

/// What libFuzzer calls with bytes. `Scripts/fuzz` builds and runs it; nothing else links this target.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// One file of a directory, its header alone looked at.
    case header
    /// A segment, opened without types.
    case segment
    /// A checkpoint, opened without types.
    case checkpoint
    /// A checkpoint or a segment, opened with types, written to, and opened again.
    case sections
    /// Several files in one directory.
    case directory
    case cbor
    /// Questions to records, as `yaprak bisect` and `ls --where` take them.
    case expression
    /// Positions, ranges, times and tags: the arguments of the tool.
    case arguments

    /// Whether the input is files whose checksums are made right again after each mutation.
    package var isFiles: Bool {
        switch self {
        case .cbor, .expression, .arguments: false
        default: true
        }
    }

    /// Runs the target. Traps if a promise is broken: that is what the fuzzer looks for.
    package func run(_ bytes: [UInt8]) {
        switch self {
        case .header: examine([bytes], .verify)
        case .segment, .checkpoint: examine([bytes], .replay)
        case .sections: examine([bytes], .open)
        case .directory: examine(Self.files(bytes), .open)
        case .cbor: Self.decode(bytes)
        case .expression: Self.ask(String(decoding: bytes, as: UTF8.self))
        case .arguments: Self.parse(String(decoding: bytes, as: UTF8.self))
        }
    }

    private func examine(_ files: [[UInt8]], _ depth: HostileDirectory.Depth) {
        let named = files.map { (HostileDirectory.name(of: $0), $0) }
        if let failure = HostileDirectory.examine(named, depth) { fatalError(failure) }
    }

    /// The input of `directory`: for each file its length in two bytes, then its bytes.
    package static func files(_ bytes: [UInt8]) -> [[UInt8]] {
        var files: [[UInt8]] = []
        var at = 0
        while at + 2 <= bytes.count, files.count < 8 {
            let length = Int(bytes[at]) | Int(bytes[at + 1]) << 8
            let end = min(bytes.count, at + 2 + length)
            files.append(Array(bytes[at + 2..<end]))
            at = end
        }
        return files
    }

    /// The same backwards.
    package static func join(_ files: [[UInt8]]) -> [UInt8] {
        files.reduce(into: []) { joined, file in
            let part = file.prefix(0xFFFF)
            joined += [UInt8(part.count & 0xFF), UInt8(part.count >> 8)] + part
        }
    }

    /// What was encoded decodes, and encodes to the same bytes.
    private static func decode(_ bytes: [UInt8]) {
        _ = try? CBORItem.diagnostic(of: bytes)
        _ = try? CBORDecoder().decode([String: [Int]].self, from: bytes)
        _ = try? CBORDecoder().decode(SimulatedRecord.self, from: bytes)
        guard let value = try? CBORValue(decoding: bytes), let again = try? value.encoded() else { return }
        // Encoding sorts the keys of maps: the value may differ in their order, its bytes may not.
        guard let second = try? CBORValue(decoding: again), (try? second.encoded()) == again else {
            fatalError("what was encoded does not decode, or encodes to other bytes")
        }
        _ = try? CBORValue(json: value.json())
    }

    /// An expression has a value whatever it is asked of, and what is printed is parsed again, and is the same.
    private static func ask(_ text: String) {
        let state = FuzzState.shared
        for subject in [ReplayExpression.Subject.snapshot, .record, .change] {
            guard let expression = try? ReplayExpression(text, about: subject) else { continue }
            guard (try? ReplayExpression(expression.description, about: subject)) == expression else {
                fatalError("what was printed is another expression: \(expression)")
            }
            switch subject {
            case .snapshot: _ = expression.value(in: state.after)
            case .record: _ = expression.value(for: state.new, in: state.after)
            case .change: _ = expression.holds(from: state.old, in: state.before, to: state.new, in: state.after)
            }
        }
    }

    /// What is printed is parsed again, and is the same.
    private static func parse(_ text: String) {
        if let position = try? LogPosition(text), (try? LogPosition("\(position)")) != position {
            fatalError("the position \(position) is not parsed")
        }
        if let range = try? LogRange(text), (try? LogRange("\(range)")) != range {
            fatalError("the range \(range) is not parsed")
        }
        if let time = try? LogTime(text) {
            guard (try? LogTime("\(time)")) == time else { fatalError("the time \(time) is not parsed") }
            for now in [Int64.min, 0, .max]
            where time.nanosecondsSince1970(now: now) > time.lastNanosecondsSince1970(now: now) {
                fatalError("the time \(time) ends before it begins")
            }
        }
        if let name = LogTag.Name(text), LogTag.Name("\(name)") != name { fatalError("the tag \(name) is not parsed") }
    }
}

/// What questions are asked about: a database with a record in each collection, so that nested questions stay short, and the
/// commit that changed one of them.
private final class FuzzState: Sendable {
    static let shared = FuzzState()
    let before: Snapshot
    let after: Snapshot
    let old: ReplayRecord
    let new: ReplayRecord

    init() {
        guard let (before, after) = HostileDirectory.sampleStates(),
            let old = before.untyped("items").first, let new = after.untyped("items").first
        else { fatalError("the small database has no record") }
        (self.before, self.after, self.old, self.new) = (before, after, old, new)
    }
}
