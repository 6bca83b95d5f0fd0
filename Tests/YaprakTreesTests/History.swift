import TestSupport

@testable import YaprakTrees

/// A random history of drafts, freezes, aborts, seals, abandons, forks, closes and releases, with an account of its own
/// of what must be alive: everything reachable from a version that somebody can still read, and nothing else.
final class History {
    /// What a version keeps alive: its own trees, and those of the versions its list started from.
    final class Keep {
        let roots: [TreeRoot]
        var parents: [Keep]
        let line: Int
        var stamp: UInt64 = 0
        /// Not of an aborted or abandoned branch.
        var isMain = true

        init(_ roots: [TreeRoot], _ parents: [Keep], line: Int) {
            self.roots = roots
            self.parents = parents
            self.line = line
        }

        /// Collects nodes, and the rows of each tree: a row may stand in two of them.
        func collect(_ nodes: inout Set<UInt>, _ rows: inout [Set<UInt>]) {
            for (i, root) in roots.enumerated() { root.collectAddresses(nodes: &nodes, rows: &rows[i]) }
            for parent in parents { parent.collect(&nodes, &rows) }
        }
    }

    struct Held {
        let version: TreeVersion
        let keep: Keep
        let content: [[String]]
    }

    private struct WeakKeep { weak var keep: Keep? }

    final class Line {
        let timeline: Timeline
        var base: [Keep]
        var keep: Keep
        /// Two trees of keys, one that a comparator orders, one whose rows own trees. A row may stand in the first and in
        /// others.
        var roots: [TreeRoot]

        /// - Parameter hasVersion: whether the timeline makes its first version before the first draft begins.
        init(_ timeline: Timeline, id: Int, base: [Keep], roots: [TreeRoot], hasVersion: Bool) {
            self.timeline = timeline
            self.base = base
            self.roots = roots
            keep = Keep(roots, base, line: id)
            if hasVersion { keep.stamp = timeline.newest.stamp }
        }
    }

    let arena = Arena()
    let janitor = Janitor()
    let census = RowCensus()
    var generator: SplitMix64
    var lines: [Int: Line] = [:]
    var held: [Held] = []
    /// Every keep there is, to find those that an abandon makes a branch.
    private var keeps: [WeakKeep] = []
    private var nextLine = 1
    private var number = 0
    private let order = NumberOrder()

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        let timeline = janitor.makeTimeline { [arena] in Timeline(arena: arena, onGarbage: $0) }
        lines[0] = Line(
            timeline, id: 0, base: [], roots: Array(repeating: TreeRoot(), count: 4), hasVersion: generator.chance(50))
    }

    private func row(_ key: String, nested: TreeRoot? = nil) -> TreeRow {
        number += 1
        return RowForm.mixed.row(key, number * 7919 % 1009, census: census, nested: nested)
    }

    // MARK: One random step

    func step() {
        switch generator.below(20) {
        case 0..<10: if let line = anyLine() { write(line) }
        case 10..<15: if !held.isEmpty { held.remove(at: generator.below(held.count)) }
        case 15: held.removeAll { _ in generator.chance(50) }
        case 16: if lines.count < 5 { fork() }
        case 17: abandon()
        case 18: if lines.count > 1, generator.chance(60), let line = anyLine() { close(line) }
        default: if let line = anyLine() { _ = lines[line]?.timeline.reclaim(limit: generator.below(30)) }
        }
    }

    private func anyLine() -> Int? {
        let ids = lines.keys.sorted()
        return ids.isEmpty ? nil : ids[generator.below(ids.count)]
    }

    private func keep(_ version: TreeVersion, of line: Line, id: Int) -> Keep {
        let keep = Keep(line.roots, line.base, line: id)
        keep.stamp = version.stamp
        keeps.removeAll { $0.keep == nil }
        keeps.append(WeakKeep(keep: keep))
        return keep
    }

    private func write(_ id: Int) {
        guard let line = lines[id] else { return }
        let draft = line.timeline.beginDraft()
        let start = line.keep, begun = draft.stamp
        let startRoots = line.roots
        var frozen: [Held] = []
        for _ in 0...generator.below(3) {
            for _ in 0..<generator.below(generator.chance(10) ? 200 : 12) { edit(draft, line) }
            if generator.chance(30) {
                let version = draft.freeze()
                let keep = keep(version, of: line, id: id)
                frozen.append(Held(version: version, keep: keep, content: keep.roots.map(\.content)))
            }
            if generator.chance(20), !frozen.isEmpty { frozen.removeLast() }
        }
        if generator.chance(25) {
            for i in frozen.indices where frozen[i].version.stamp >= begun {
                frozen[i].keep.parents.append(start)
                frozen[i].keep.isMain = false
            }
            draft.abort(roots: line.roots)
            line.roots = startRoots
            line.keep = start
        } else {
            let version = draft.seal()
            line.keep = keep(version, of: line, id: id)
            if generator.chance(60) {
                held.append(Held(version: version, keep: line.keep, content: line.roots.map(\.content)))
            }
        }
        held += frozen
    }

    private func edit(_ draft: TreeDraft, _ line: Line) {
        var key = "k" + String(generator.below(300))
        // Some that differ behind the word of their entry alone.
        if generator.chance(15) { key += "-a tail that goes on \(generator.below(3))" }
        switch generator.below(100) {
        case 0..<8: draft.insert(row(key), into: &line.roots[generator.below(2)])
        case 8..<15:
            let index = generator.below(2)
            _ = key.utf8.withContiguousStorageIfAvailable {
                draft.put(key: $0, into: &line.roots[index]) { _ in self.generator.chance(20) ? nil : self.row(key) }
            }
        case 15..<20:
            let index = generator.below(2)
            _ = key.utf8.withContiguousStorageIfAvailable {
                draft.exchangeLast(notAfter: $0, in: &line.roots[index]) { old, _ in
                    self.row(old.takeUnretainedValue().keyString)
                }
            }
        case 20..<40:
            let row = row(key)
            row.withKey { draft.exchange($0, in: &line.roots[generator.below(2)]) { _ in row } }
        case 40..<50:
            let shared = row(key)
            draft.insert(shared, into: &line.roots[0])
            if generator.chance(50) { draft.insert(shared, into: &line.roots[1]) }
            if generator.chance(50) { draft.insert(shared, into: &line.roots[2], order: order) }
        case 50..<65: draft.remove(key, from: &line.roots[generator.below(2)])
        case 65..<66: draft.clear(&line.roots[generator.below(4)])
        case 66..<80: draft.insert(row(key), into: &line.roots[2], order: order)
        case 80..<85:
            if !line.roots[2].isEmpty {
                draft.remove(at: generator.below(line.roots[2].count), from: &line.roots[2])
            }
        case 85..<98:
            let key = "g" + String(generator.below(12))
            var nested = line.roots[3].lookup(key)?.nestedTree ?? TreeRoot()
            for _ in 0..<3 { draft.insert(row("n" + String(generator.below(60))), into: &nested) }
            draft.insert(row(key, nested: nested), into: &line.roots[3])
        default: draft.remove("g" + String(generator.below(12)), from: &line.roots[3])
        }
    }

    private func fork() {
        guard !held.isEmpty else { return }
        let source = held[generator.below(held.count)]
        let timeline = janitor.makeTimeline { Timeline.fork(from: source.version, onGarbage: $0) }
        lines[nextLine] = Line(
            timeline, id: nextLine, base: [source.keep], roots: source.keep.roots, hasVersion: generator.chance(30))
        nextLine += 1
    }

    private func abandon() {
        let candidates = held.filter { $0.keep.isMain && lines[$0.keep.line] != nil }
        guard !candidates.isEmpty else { return }
        let target = candidates[generator.below(candidates.count)]
        guard let line = lines[target.keep.line], line.timeline.newest !== target.version else { return }
        line.timeline.abandon(after: target.version, roots: line.roots)
        for keep in keeps.compactMap(\.keep)
        where keep.line == target.keep.line && keep.isMain && keep.stamp > target.version.stamp {
            keep.isMain = false
            keep.parents.append(target.keep)
        }
        line.roots = target.keep.roots
        line.keep = target.keep
    }

    func close(_ id: Int) {
        guard let line = lines.removeValue(forKey: id) else { return }
        line.timeline.close(roots: line.roots)
        line.timeline.reclaimAll(limit: 1 + generator.below(100))
    }

    // MARK: The law

    /// Says what is alive and shouldn't be, or the other way round.
    func violation() -> String? {
        janitor.run(limit: 1 + generator.below(50))
        let timelines = lines.values.map(\.timeline) + held.map(\.version.timeline)
        for _ in 0..<4 { for timeline in timelines { timeline.reclaimAll(limit: 1 + generator.below(50)) } }
        var nodes: Set<UInt> = []
        var rows = Array(repeating: Set<UInt>(), count: 4)
        for line in lines.values { line.keep.collect(&nodes, &rows) }
        for held in held { held.keep.collect(&nodes, &rows) }
        let counts = arena.counts
        if counts.nodes != nodes.count { return "\(counts.nodes) nodes live, \(nodes.count) reachable" }
        let places = rows.reduce(0) { $0 + $1.count }
        if counts.rows != places { return "\(counts.rows) rows counted, \(places) reachable" }
        let alive = rows.reduce(Set()) { $0.union($1) }
        if census.count != alive.count { return "\(census.count) rows live, \(alive.count) reachable" }
        for held in held {
            if held.keep.roots.map(\.content) != held.content { return "version \(held.version.stamp) has changed" }
            for (i, root) in held.keep.roots.enumerated() {
                if let violation = root.firstViolation(order: i == 2 ? order : nil) { return violation }
            }
        }
        return nil
    }
}

/// By number, then by key.
final class NumberOrder: RowOrder, @unchecked Sendable {
    override func compare(_ a: TreeRow, _ b: TreeRow) -> Int {
        a.number != b.number ? (a.number < b.number ? -1 : 1) : super.compare(a, b)
    }

    override func prefix(of row: TreeRow) -> UInt64 { UInt64(bitPattern: Int64(row.number)) ^ 1 << 63 }
}
