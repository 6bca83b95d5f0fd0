import YaprakCore
package import YaprakTrees

/// The edges of a relationship in one snapshot.
///
/// Valid while the snapshot is, as all trees are.
public struct EdgeTrees: Sendable {
    /// A row for each edge, under the keys of target and source.
    var byTarget = TreeRoot()
    /// The same the other way round; empty where the source records say it themselves.
    var bySource = TreeRoot()
    /// Keys that edges lead to, and no record has.
    var missingTargets = TreeRoot()
    /// Keys that edges come from, and no record has: of edges set explicitly.
    var missingSources = TreeRoot()

    package var all: [TreeRoot] { [byTarget, bySource, missingTargets, missingSources] }

    /// The keys on the other side of all edges of `key`, ascending. O(log *n* + *k*).
    static func others(of key: String, in tree: TreeRoot) -> [String] {
        let range = EdgeKey.range(of: key, in: tree)
        var keys: [String] = []
        keys.reserveCapacity(range.count)
        tree.forEach(in: range) { keys.append(EdgeKey.second($0)) }
        return keys
    }

    /// Each first key, once.
    static func forEachFirst(in tree: TreeRoot, _ body: (String) -> Void) {
        var position = 0
        while position < tree.count {
            let first = EdgeKey.first(tree.row(at: position))
            body(first)
            position = EdgeKey.range(of: first, in: tree).upperBound
        }
    }
}

/// Changes edges within a draft, and keeps account of keys that no record has.
struct EdgeEditor {
    let draft: TreeDraft
    var trees: EdgeTrees
    private var touchedTargets: Set<String> = []
    private var touchedSources: Set<String> = []

    init(_ trees: EdgeTrees, _ draft: TreeDraft) {
        self.trees = trees
        self.draft = draft
    }

    mutating func add(_ source: String, _ target: String, bothWays: Bool = false) {
        draft.insert(KeyRow.make(EdgeKey.make(target, source)), into: &trees.byTarget)
        if bothWays { draft.insert(KeyRow.make(EdgeKey.make(source, target)), into: &trees.bySource) }
        touchedTargets.insert(target)
        touchedSources.insert(source)
    }

    mutating func remove(_ source: String, _ target: String, bothWays: Bool = false) {
        draft.remove(EdgeKey.make(target, source), from: &trees.byTarget)
        if bothWays { draft.remove(EdgeKey.make(source, target), from: &trees.bySource) }
        touchedTargets.insert(target)
        touchedSources.insert(source)
    }

    /// Removes all edges.
    mutating func clear() {
        touchAllTargets()
        draft.clear(&trees.byTarget)
        draft.clear(&trees.bySource)
    }

    mutating func touch(target key: String) { touchedTargets.insert(key) }
    mutating func touch(source key: String) { touchedSources.insert(key) }

    /// All keys that edges lead to may have lost their record, or got one. O(edges).
    mutating func touchAllTargets() {
        EdgeTrees.forEachFirst(in: trees.byTarget) { touchedTargets.insert($0) }
    }

    mutating func touchAllSources() {
        EdgeTrees.forEachFirst(in: trees.bySource) { touchedSources.insert($0) }
    }

    /// Brings the accounts of missing records up to date.
    mutating func settle(_ state: @autoclosure () -> Snapshot, sources: CollectionTypes?, targets: CollectionTypes) {
        if touchedTargets.isEmpty && (sources == nil || touchedSources.isEmpty) { return }
        let state = state()
        for key in touchedTargets {
            let isMissing =
                !EdgeKey.range(of: key, in: trees.byTarget).isEmpty && state.box(forKey: key, in: targets) == nil
            Self.set(key, isMissing, in: &trees.missingTargets, draft)
        }
        touchedTargets = []
        guard let sources else { return }
        for key in touchedSources {
            let isMissing =
                !EdgeKey.range(of: key, in: trees.bySource).isEmpty && state.box(forKey: key, in: sources) == nil
            Self.set(key, isMissing, in: &trees.missingSources, draft)
        }
        touchedSources = []
    }

    private static func set(_ key: String, _ isThere: Bool, in tree: inout TreeRoot, _ draft: TreeDraft) {
        if isThere {
            if tree.lookup(key) == nil { draft.insert(KeyRow.make(key), into: &tree) }
        } else if !tree.isEmpty {
            draft.remove(key, from: &tree)
        }
    }
}

/// Edges gathered from records, before there is a tree to put them into.
package struct EdgeSeed: Sendable {
    private var byTarget: [String] = []

    mutating func add(_ source: String, _ target: String) { byTarget.append(EdgeKey.make(target, source)) }

    /// The trees of the edges, over the records of a snapshot.
    func build(_ draft: TreeDraft, _ state: Snapshot, targets: CollectionTypes) -> EdgeTrees {
        var trees = EdgeTrees()
        // Swift's order of strings in NFC is that of their bytes; where a Unicode table says otherwise, rows go in one by one.
        let rows = Set(byTarget).sorted().map { KeyRow.make($0) }
        do {
            trees.byTarget = try draft.build(from: rows)
        } catch {
            for row in rows { draft.insert(row.withKey { KeyRow.make($0) }, into: &trees.byTarget) }
        }
        var editor = EdgeEditor(trees, draft)
        editor.touchAllTargets()
        editor.settle(state, sources: nil, targets: targets)
        return editor.trees
    }
}
