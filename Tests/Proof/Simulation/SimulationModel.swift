internal import Yaprak

/// What a simulated database must hold: every state that was ever issued, by commit, and what was promised of them.
///
/// The scheduler runs one thing at a time, so nothing here needs a lock.
final class SimulationModel: @unchecked Sendable {
    struct Value: Hashable {
        var record: SimulatedRecord
        var metadata: Int?
    }

    struct State: Equatable {
        var records: [String: Value] = [:]
        var marks: [Int] = []

        var tally: Tally.Root {
            var root = Tally.Root()
            for (name, value) in records where name.hasPrefix("items/") {
                root.count += 1
                root.sum += value.record.number
            }
            return root
        }
    }

    /// The state after each commit; the first is the empty database.
    private(set) var issued: [State] = [State()]
    /// Who issued it.
    private var owners: [Int] = [0]
    private var nextOwner = 1
    /// States of writes that failed, and of those that were built on them: they must not come back.
    private(set) var failed: [(number: Int, state: State)] = []
    /// The first commit of this launch whose writer learned that its sync had failed: it may be there, and is promised to nobody.
    var unsynced: Int?
    /// Commits that a kill must leave, and that a power cut must leave.
    var promisedAfterKill = 0
    var promisedAfterCut = 0
    /// What went wrong, if something did.
    private(set) var failure: String?

    func fail(_ text: String) { if failure == nil { failure = text } }

    /// A transaction made commit `number` out of the one before.
    func issue(_ number: Int, _ state: State) -> Int {
        if number > issued.count {
            fail("commit \(number) is issued, and \(issued.count - 1) is the newest that was")
            return 0
        }
        // The number is used again: what had it before was refused, and its writer may learn it later than this one.
        takeBack(from: number)
        issued.append(state)
        nextOwner += 1
        owners.append(nextOwner)
        return nextOwner
    }

    /// Who issued a commit last.
    func owner(of number: Int) -> Int? { number < owners.count ? owners[number] : nil }

    /// The writer of a commit learns that it is there.
    func acknowledge(_ number: Int, _ owner: Int, isDurable: Bool) {
        guard number < owners.count, owners[number] == owner else {
            return fail("commit \(number) is acknowledged, and another has its number")
        }
        promisedAfterKill = max(promisedAfterKill, number)
        if isDurable { promisedAfterCut = max(promisedAfterCut, number) }
    }

    /// The writer of a commit learns that it is not there, and will not be.
    func refuse(_ number: Int, _ owner: Int) {
        guard number < owners.count, owners[number] == owner else { return }
        takeBack(from: number)
    }

    private func takeBack(from number: Int) {
        for index in number..<issued.count { failed.append((index, issued[index])) }
        issued.removeLast(issued.count - number)
        owners.removeLast(owners.count - number)
    }

    /// A write that was refused is there all the same, as the newest commit. What it was built on came back with it; nobody
    /// asks for the states of that.
    func comeBack(_ number: Int, _ state: State) {
        takeBack(from: min(number, issued.count))
        while issued.count <= number {
            issued.append(state)
            owners.append(0)
        }
    }

    /// A launch found the database at a commit.
    func opened(at number: Int) {
        issued.removeLast(issued.count - number - 1)
        owners.removeLast(owners.count - number - 1)
        promisedAfterKill = number
        promisedAfterCut = number
        failed = []
        unsynced = nil
    }

    /// What a snapshot holds, in the form of the model.
    static func records(of snapshot: Snapshot) -> [String: Value] {
        var records: [String: Value] = [:]
        for row in snapshot[SimulatedRecord.items] {
            records["items/\(row.key)"] = Value(record: row.object, metadata: nil)
        }
        for row in snapshot[SimulatedRecord.others] {
            records["others/\(row.key)"] = Value(record: row.object, metadata: row.metadata)
        }
        return records
    }
}

extension SimulationScript.Edit {
    /// Does it to the model.
    func apply(to state: inout SimulationModel.State) {
        switch self {
        case .set(let isOther, let key, let number, let bytes):
            state.records[SimulatedRecord.name(isOther, key)] = .init(
                record: record(number, bytes), metadata: isOther ? number % 7 : nil)
        case .remove(let isOther, let key): state.records[SimulatedRecord.name(isOther, key)] = nil
        case .removeAll(let isOther):
            let prefix = isOther ? "others/" : "items/"
            state.records = state.records.filter { !$0.key.hasPrefix(prefix) }
        }
    }

    /// Does it to a database.
    func apply(to transaction: inout WriteTransaction) {
        switch self {
        case .set(false, let key, let number, let bytes):
            transaction[SimulatedRecord.items]["\(key)"] = record(number, bytes)
        case .set(true, let key, let number, let bytes):
            transaction[SimulatedRecord.others].set(record(number, bytes), metadata: number % 7, for: "\(key)")
        case .remove(false, let key): transaction[SimulatedRecord.items]["\(key)"] = nil
        case .remove(true, let key): transaction[SimulatedRecord.others]["\(key)"] = nil
        case .removeAll(false): transaction[SimulatedRecord.items].removeAll()
        case .removeAll(true): transaction[SimulatedRecord.others].removeAll()
        }
    }

    private func record(_ number: Int, _ bytes: Int) -> SimulatedRecord {
        // Text that does not compress, so that its length is that of the commit.
        var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
        let text = (0..<bytes).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return 0x20 + UInt8(state >> 58)
        }
        return SimulatedRecord(number: number, text: String(decoding: text, as: UTF8.self))
    }
}
