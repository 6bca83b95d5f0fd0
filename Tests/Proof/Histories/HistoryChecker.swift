/// Looks for anomalies in a history, after Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from Experimental
/// Observations" (2020).
///
///     let anomalies = HistoryChecker(history).anomalies()       // empty: strictly serializable as far as anybody saw
///
/// The order of the writes of a list is in the longest list that was read. That of a register follows from transactions
/// that read before they write, and from the clock. From there come the edges of a graph: who wrote behind whom, who saw
/// whom, who missed whom, who began when another had ended. A circle in it is an anomaly.
///
/// Sound: what it reports can't happen in a strictly serializable history.
/// - Complexity: O(operations, elements of lists that were read, and edges).
package struct HistoryChecker {
    let history: History
    /// The writer of each value of a key: `key << 32 | value`.
    private var writers: [Int64: Int32] = [:]
    private var found: [Anomaly] = []
    private var graph: DependencyGraph

    package init(_ history: History) {
        self.history = history
        graph = DependencyGraph(count: history.transactions.count)
    }

    /// Everything there is to say, at most some of each kind.
    package func anomalies() -> [Anomaly] {
        var copy = self
        copy.findWriters()
        copy.checkInside()
        copy.addLists()
        copy.addRegisters()
        copy.addClock()
        copy.graph.finish()
        copy.findCycles()
        return copy.found
    }

    mutating func addEdge(_ source: Int, _ target: Int) { graph.add(source, target, .clock) }

    func components(_ allowed: DependencyGraph.Reasons) -> [[Int]] { graph.components(allowed) }

    func cycle(in component: [Int], first: DependencyGraph.Reasons, rest: DependencyGraph.Reasons) -> [Int]? {
        graph.cycle(in: component, first: first, rest: rest)
    }

    mutating func report(_ kind: Anomaly.Kind, _ cycle: [Int]) {
        let operations = cycle.prefix(8).map { index in
            let transaction = history.transactions[index]
            let words = history.operations[transaction.operations].map { operation in
                let list =
                    operation.kind == .readList ? "\(Array(history.lists[operation.list]))" : "\(operation.value)"
                return "\(operation.kind) \(operation.key) \(list)"
            }
            return "T\(index) {\(words.joined(separator: ", "))} [\(transaction.start), \(transaction.end)]"
        }
        note(kind, cycle, operations.joined(separator: " → "))
    }

    private mutating func note(_ kind: Anomaly.Kind, _ transactions: [Int], _ detail: String) {
        guard found.count(where: { $0.kind == kind }) < 10 else { return }
        found.append(Anomaly(kind: kind, transactions: transactions, detail: detail))
    }

    private static func name(_ key: Int32, _ value: Int32) -> Int64 {
        Int64(key) << 32 | Int64(UInt32(bitPattern: value))
    }

    private func writer(_ key: Int32, _ value: Int32) -> Int? {
        writers[Self.name(key, value)].map { Int($0) }
    }

    // MARK: One transaction at a time

    private mutating func findWriters() {
        writers.reserveCapacity(history.operations.count / 2)
        for (index, transaction) in history.transactions.enumerated() {
            for operation in history.operations[transaction.operations]
            where operation.kind == .append || operation.kind == .write {
                writers[Self.name(operation.key, operation.value)] = Int32(index)
            }
        }
    }

    /// What a transaction did itself, it sees.
    private mutating func checkInside() {
        for (index, transaction) in history.transactions.enumerated()
        where transaction.outcome == .committed && transaction.operations.count > 1 {
            var own: [Int32: [Int32]] = [:]
            var registers: [Int32: Int32] = [:]
            for operation in history.operations[transaction.operations] {
                switch operation.kind {
                case .append: own[operation.key, default: []].append(operation.value)
                case .write: registers[operation.key] = operation.value
                case .readList:
                    if let mine = own[operation.key],
                        !history.lists[operation.list].suffix(mine.count).elementsEqual(mine)
                    {
                        note(.internal, [index], "key \(operation.key) without its own \(mine)")
                    }
                case .read:
                    if let mine = registers[operation.key], mine != operation.value {
                        note(.internal, [index], "key \(operation.key) is \(operation.value), and it wrote \(mine)")
                    }
                    registers[operation.key] = operation.value
                }
            }
        }
    }

    /// Whether a value that was read has a writer that could be seen.
    private mutating func checkSeen(_ key: Int32, _ value: Int32, by reader: Int) -> Int? {
        guard let writer = writer(key, value) else {
            note(.garbageRead, [reader], "key \(key) has \(value), which nobody wrote")
            return nil
        }
        if history.transactions[writer].outcome == .failed {
            note(.abortedRead, [writer, reader], "key \(key) has \(value) of a transaction that failed")
            return nil
        }
        return writer
    }

    /// The last value that a transaction wrote to a key.
    private func last(_ kind: History.Kind, _ key: Int32, of writer: Int) -> Int32? {
        history.operations[history.transactions[writer].operations].last { $0.kind == kind && $0.key == key }?.value
    }

    // MARK: Lists

    private mutating func addLists() {
        var longest: [Int32: Range<Int>] = [:]
        forEachRead(.readList) { _, operation in
            if operation.list.count > longest[operation.key]?.count ?? 0 { longest[operation.key] = operation.list }
        }
        for (key, order) in longest {
            let values = history.lists[order]
            if Set(values).count < values.count { note(.duplicate, [], "key \(key): \(Array(values))") }
            var previous: Int?
            for value in values {
                guard let writer = writer(key, value) else { continue }
                if let previous { graph.add(previous, writer, .write) }
                previous = writer
            }
        }
        // Who saw the whole list missed every append that nobody saw.
        var unseen: [Int32: [Int]] = [:]
        let seen = Dictionary(uniqueKeysWithValues: longest.map { ($0, Set(history.lists[$1])) })
        for (index, transaction) in history.transactions.enumerated() where transaction.outcome == .committed {
            for operation in history.operations[transaction.operations] where operation.kind == .append {
                if !(seen[operation.key]?.contains(operation.value) ?? false) {
                    unseen[operation.key, default: []].append(index)
                }
            }
        }
        forEachRead(.readList) { reader, operation in
            addListRead(reader, operation, longest[operation.key] ?? 0..<0, unseen[operation.key] ?? [])
        }
    }

    private mutating func addListRead(
        _ reader: Int, _ operation: History.Operation, _ order: Range<Int>, _ unseen: [Int]
    ) {
        let count = operation.list.count
        guard operation.list == order || history.lists[operation.list].elementsEqual(history.lists[order].prefix(count))
        else {
            let lists = "\(Array(history.lists[operation.list])) and \(Array(history.lists[order]))"
            note(.incompatibleOrder, [reader], "key \(operation.key): \(lists)")
            return
        }
        var foreign = count
        // What it appended itself before it read says nothing about others.
        while foreign > 0, writer(operation.key, history.lists[operation.list.lowerBound + foreign - 1]) == reader {
            foreign -= 1
        }
        for value in history.lists[operation.list] { _ = checkSeen(operation.key, value, by: reader) }
        if foreign > 0 {
            let value = history.lists[operation.list.lowerBound + foreign - 1]
            if let writer = writer(operation.key, value) {
                graph.add(writer, reader, .read)
                if foreign == count, let last = last(.append, operation.key, of: writer), last != value {
                    note(
                        .intermediateRead, [writer, reader],
                        "key \(operation.key) ends with \(value), then came \(last)")
                }
            }
        }
        if count < order.count {
            if let next = writer(operation.key, history.lists[order.lowerBound + count]) {
                graph.add(reader, next, .missed)
            }
        } else {
            for writer in unseen { graph.add(reader, writer, .missed) }
        }
    }

    private func forEachRead(_ kind: History.Kind, _ body: (Int, History.Operation) -> Void) {
        for (index, transaction) in history.transactions.enumerated() where transaction.outcome == .committed {
            for operation in history.operations[transaction.operations] where operation.kind == kind {
                body(index, operation)
            }
        }
    }

    // MARK: Registers

    /// The order of the versions of each register as far as it is known, and the edges from it.
    private mutating func addRegisters() {
        /// For each key the writers in the order in which they began, and who read what.
        var writes: [Int32: [(value: Int32, writer: Int)]] = [:]
        var reads: [Int32: [(value: Int32, reader: Int)]] = [:]
        for (index, transaction) in history.transactions.enumerated() where transaction.outcome != .failed {
            for operation in history.operations[transaction.operations] {
                if operation.kind == .write {
                    writes[operation.key, default: []].append((operation.value, index))
                } else if operation.kind == .read, transaction.outcome == .committed {
                    reads[operation.key, default: []].append((operation.value, index))
                }
            }
        }
        for key in Set(writes.keys).union(reads.keys) { addRegister(key, writes[key] ?? [], reads[key] ?? []) }
    }

    private mutating func addRegister(
        _ key: Int32, _ writes: [(value: Int32, writer: Int)], _ reads: [(value: Int32, reader: Int)]
    ) {
        // The last value each transaction wrote is a version; the others nobody else may see.
        var versions: [Int: Int32] = [:]
        for write in writes { versions[write.writer] = write.value }
        var after: [Int32: Set<Int32>] = [:]
        // The first state comes before all others.
        for version in versions.values { after[0, default: []].insert(version) }
        for read in reads where read.value != 0 {
            guard let writer = checkSeen(key, read.value, by: read.reader) else { continue }
            if writer != read.reader, let last = versions[writer], last != read.value {
                note(.intermediateRead, [writer, read.reader], "key \(key) is \(read.value), then came \(last)")
            }
            graph.add(writer, read.reader, .read)
        }
        // A transaction that read before it wrote wrote behind what it read.
        for read in reads {
            if let own = versions[read.reader], own != read.value, writer(key, read.value) != read.reader {
                after[read.value, default: []].insert(own)
            }
        }
        addClock(of: versions, to: &after)
        for (version, nexts) in after {
            for next in nexts {
                guard let target = writer(key, next) else { continue }
                if version != 0, let source = writer(key, version) {
                    graph.add(source, target, .write)
                    if after[next]?.contains(version) ?? false {
                        note(.cyclicVersions, [source, target], "key \(key): \(version) and \(next)")
                    }
                }
            }
        }
        for read in reads {
            for next in after[read.value] ?? [] {
                if let target = writer(key, next) { graph.add(read.reader, target, .missed) }
            }
        }
    }

    /// Writes that did not overlap follow each other as the clock says.
    private func addClock(of versions: [Int: Int32], to after: inout [Int32: Set<Int32>]) {
        let ended = versions.keys.filter { history.transactions[$0].end < .max }
        let byEnd = ended.sorted { history.transactions[$0].end < history.transactions[$1].end }
        let byStart = versions.keys.sorted { history.transactions[$0].start < history.transactions[$1].start }
        var at = 0
        var newest: [Int] = []
        for next in byStart {
            let start = history.transactions[next].start
            while at < byEnd.count, history.transactions[byEnd[at]].end < start {
                // Only the latest to end, and those that overlapped with it: the rest follows from these.
                let ended = byEnd[at]
                newest.removeAll { history.transactions[$0].end < history.transactions[ended].start }
                newest.append(ended)
                at += 1
            }
            guard let later = versions[next] else { continue }
            for earlier in newest { if let version = versions[earlier] { after[version, default: []].insert(later) } }
        }
    }
}
