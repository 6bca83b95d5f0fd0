import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakLocks
import YaprakReplay
import YaprakSearch

/// The texts of a record without its types: one for each field at the top, with what is nested in it.
struct RecordTexts {
    /// The names of the fields; `.` where the object is no map.
    private(set) var names: [String] = []
    private(set) var texts: [String] = []

    /// - Parameter field: the only field to look at; all if `nil`.
    init(_ record: ReplayRecord, field: String?) {
        guard case .map(let pairs) = record.object else {
            if field == nil || field == "." { add(".", record.object) }
            return
        }
        for pair in pairs {
            let name = pair.key.text ?? "\(pair.key)"
            if field == nil || field == name { add(name, pair.value) }
        }
    }

    private mutating func add(_ name: String, _ value: CBORValue) {
        var parts: [String] = []
        DeepStack.run(if: value.isDeep) { Self.collect(value, into: &parts) }
        guard !parts.isEmpty else { return }
        names.append(name)
        // Between two texts stands what belongs to no word.
        texts.append(parts.joined(separator: "\n"))
    }

    private static func collect(_ value: CBORValue, into parts: inout [String]) {
        switch value {
        case .text(let text): parts.append(text)
        case .array(let items): for item in items { collect(item, into: &parts) }
        case .map(let pairs): for pair in pairs { collect(pair.value, into: &parts) }
        case .tag(_, let item): collect(item, into: &parts)
        default: break
        }
    }
}
