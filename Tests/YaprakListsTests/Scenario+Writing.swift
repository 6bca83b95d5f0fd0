import Yaprak

/// A record of a scenario: where a view by closures puts it.
struct ScenarioItem: Codable, Sendable {
    var group: String?
    var place = 0.0
    var version = 0
}

extension RecordCollection where Object == ScenarioItem, Metadata == NoMetadata {
    static var items: Self { Self("items") }
}

typealias ScenarioRow = Record<ScenarioItem, NoMetadata>

/// How the rows of a scenario are brought where its operations put them.
protocol ScenarioWriting: OrderedView where Element == ScenarioRow {
    static var new: Self { get }
    /// Puts a row at `index` of a group in which `places` are the places of the rows before and behind it.
    func insert(
        _ key: String, at index: Int, of group: String, between places: (Double?, Double?),
        in transaction: inout WriteTransaction
    ) throws -> Double
    func remove(_ key: String, in transaction: inout WriteTransaction) throws
    func removeAll(of group: String, _ keys: [String], in transaction: inout WriteTransaction) throws
}

/// Rows are where they were put explicitly.
extension ManualView<ScenarioRow>: ScenarioWriting {
    static var new: Self { ManualView("scenario", of: .items) }

    func insert(
        _ key: String, at index: Int, of group: String, between places: (Double?, Double?),
        in transaction: inout WriteTransaction
    ) throws -> Double {
        if transaction[.items][key] == nil { transaction[.items][key] = ScenarioItem() }
        if try !transaction.insert(key, at: index, of: group, in: self) { throw Refusal("\(key) is there already") }
        return 0
    }

    func remove(_ key: String, in transaction: inout WriteTransaction) throws {
        if try !transaction.remove(key, from: self) { throw Refusal("\(key) is not there") }
    }

    func removeAll(of group: String, _ keys: [String], in transaction: inout WriteTransaction) throws {
        try transaction.removeAll(of: group, from: self)
    }
}

/// Rows are where their records say.
extension AutoView<ScenarioRow>: ScenarioWriting {
    static var new: Self { AutoView("scenario", of: .items, groupedBy: \.group, sortedBy: \.place) }

    func insert(
        _ key: String, at index: Int, of group: String, between places: (Double?, Double?),
        in transaction: inout WriteTransaction
    ) throws -> Double {
        let place: Double =
            switch places {
            case (nil, nil): 0
            case (let before?, nil): before + 1
            case (nil, let after?): after - 1
            case (let before?, let after?): (before + after) / 2
            }
        var item = transaction[.items][key] ?? ScenarioItem()
        item.group = group
        item.place = place
        transaction[.items][key] = item
        return place
    }

    func remove(_ key: String, in transaction: inout WriteTransaction) throws { transaction[.items][key]!.group = nil }

    func removeAll(of group: String, _ keys: [String], in transaction: inout WriteTransaction) throws {
        for key in keys { try remove(key, in: &transaction) }
    }
}

/// The groups of a scenario, and what its operations do to them and to a database.
struct ScenarioWriter<View: ScenarioWriting> {
    let view: View
    private(set) var groups: [String: [(key: String, place: Double)]] = [:]

    init(_ view: View) { self.view = view }

    mutating func insert(
        _ key: String, at index: Int, of group: String, in transaction: inout WriteTransaction
    ) throws {
        let rows = groups[group] ?? []
        let place = try view.insert(
            key, at: index, of: group,
            between: (index > 0 ? rows[index - 1].place : nil, index < rows.count ? rows[index].place : nil),
            in: &transaction)
        groups[group, default: []].insert((key, place), at: index)
    }

    mutating func fill(_ contents: [String: [String]], in transaction: inout WriteTransaction) throws {
        for (group, keys) in contents {
            for (index, key) in keys.enumerated() { try insert(key, at: index, of: group, in: &transaction) }
        }
    }

    mutating func perform(_ op: Scenario.Op, in transaction: inout WriteTransaction) throws {
        switch op.op {
        case "insert": try insert(op.key!, at: op.index!, of: op.group, in: &transaction)
        case "delete": try view.remove(groups[op.group]!.remove(at: op.index!).key, in: &transaction)
        case "update": transaction[.items][op.key!]!.version += 1
        case "resetGroup":
            let gone = groups.removeValue(forKey: op.group) ?? []
            try view.removeAll(of: op.group, gone.map(\.key), in: &transaction)
        default: break
        }
    }

    var keys: [String: [String]] { groups.filter { !$0.value.isEmpty }.mapValues { $0.map(\.key) } }
}
