/// Which transaction comes after which, and why: edges in arrays, a million of them in some megabytes.
struct DependencyGraph {
    /// Why one comes after another.
    struct Reasons: OptionSet {
        let rawValue: UInt8
        /// It wrote behind the other's write.
        static let write = Reasons(rawValue: 1)
        /// It saw the other's write.
        static let read = Reasons(rawValue: 2)
        /// The other did not see its write.
        static let missed = Reasons(rawValue: 4)
        /// The other had ended before it began.
        static let clock = Reasons(rawValue: 8)
    }

    private let count: Int
    private var sources: [Int32] = []
    private var targets: [Int32] = []
    private var reasons: [UInt8] = []
    private var starts: [Int32] = []
    private var sortedTargets: [Int32] = []
    private var sortedReasons: [UInt8] = []

    init(count: Int) { self.count = count }

    mutating func add(_ source: Int, _ target: Int, _ reason: Reasons) {
        guard source != target else { return }
        sources.append(Int32(source))
        targets.append(Int32(target))
        reasons.append(reason.rawValue)
    }

    /// Sorts the edges by their source. Once, behind the last `add`.
    mutating func finish() {
        starts = [Int32](repeating: 0, count: count + 1)
        for source in sources { starts[Int(source) + 1] += 1 }
        for node in 0..<count { starts[node + 1] += starts[node] }
        var next = starts
        sortedTargets = [Int32](repeating: 0, count: targets.count)
        sortedReasons = [UInt8](repeating: 0, count: targets.count)
        for edge in sources.indices {
            let place = Int(next[Int(sources[edge])])
            next[Int(sources[edge])] += 1
            sortedTargets[place] = targets[edge]
            sortedReasons[place] = reasons[edge]
        }
        (sources, targets, reasons) = ([], [], [])
    }

    private func edges(of node: Int) -> Range<Int> { Int(starts[node])..<Int(starts[node + 1]) }

    /// The strongly connected components of more than one transaction, over edges with one of these reasons (Tarjan, without
    /// recursion). O(transactions + edges).
    func components(_ allowed: Reasons) -> [[Int]] {
        var index = [Int32](repeating: -1, count: count)
        var low = [Int32](repeating: 0, count: count)
        var isOnStack = [Bool](repeating: false, count: count)
        var stack: [Int32] = []
        var path: [(node: Int32, edge: Int)] = []
        var next: Int32 = 0
        var found: [[Int]] = []
        for root in 0..<count where index[root] < 0 {
            path.append((Int32(root), Int(starts[root])))
            index[root] = next
            low[root] = next
            next += 1
            stack.append(Int32(root))
            isOnStack[root] = true
            while let (node32, edge) = path.last {
                let node = Int(node32)
                if edge < Int(starts[node + 1]) {
                    path[path.count - 1].edge += 1
                    guard sortedReasons[edge] & allowed.rawValue != 0 else { continue }
                    let target = Int(sortedTargets[edge])
                    if index[target] < 0 {
                        index[target] = next
                        low[target] = next
                        next += 1
                        stack.append(Int32(target))
                        isOnStack[target] = true
                        path.append((Int32(target), Int(starts[target])))
                    } else if isOnStack[target] {
                        low[node] = min(low[node], index[target])
                    }
                    continue
                }
                path.removeLast()
                if let parent = path.last?.node { low[Int(parent)] = min(low[Int(parent)], low[node]) }
                guard low[node] == index[node] else { continue }
                var component: [Int] = []
                while let top = stack.popLast() {
                    isOnStack[Int(top)] = false
                    component.append(Int(top))
                    if top == node32 { break }
                }
                if component.count > 1 { found.append(component) }
            }
        }
        return found
    }

    /// A shortest circle in a component whose first edge has `first` among its reasons and whose others have one of `rest`.
    func cycle(in component: [Int], first: Reasons, rest: Reasons) -> [Int]? {
        let members = Set(component)
        for start in component.prefix(200) {
            for edge in edges(of: start) where sortedReasons[edge] & first.rawValue != 0 {
                let second = Int(sortedTargets[edge])
                guard members.contains(second) else { continue }
                if let path = path(from: second, to: start, in: members, over: rest) {
                    return [start] + path.dropLast()
                }
            }
        }
        return nil
    }

    private func path(from source: Int, to target: Int, in members: Set<Int>, over allowed: Reasons) -> [Int]? {
        var before: [Int: Int] = [source: source]
        var line = [source]
        var at = 0
        while at < line.count {
            let node = line[at]
            at += 1
            if node == target {
                var path = [target]
                while let last = path.last, last != source, let previous = before[last] { path.append(previous) }
                return path.reversed()
            }
            for edge in edges(of: node) where sortedReasons[edge] & allowed.rawValue != 0 {
                let next = Int(sortedTargets[edge])
                guard members.contains(next), before[next] == nil else { continue }
                before[next] = node
                line.append(next)
            }
        }
        return nil
    }
}
