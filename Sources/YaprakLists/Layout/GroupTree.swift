import YaprakExtensions

/// The groups of a layout, in its order. Every copy is a version: the next one shares all but the way to what differs.
///
///     branch    │ groups 32, 64, 95 … │ sections 32, 60, 91 … │ • • • … │
///     leaf      │ up to 32 groups │
///
/// Asking for a group or a section is O(log *g*), for one of the first 32 groups O(1).
struct GroupTree: Sendable {
    fileprivate typealias Group = ListLayout.Group

    /// Of a node and of what is below: how many there are.
    fileprivate struct Span {
        var groups = 0
        var sections = 0

        static func + (a: Self, b: Self) -> Self {
            Span(groups: a.groups + b.groups, sections: a.sections + b.sections)
        }
    }

    fileprivate final class Node: Sendable {
        static let width = 32

        /// Of a leaf.
        let groups: ContiguousArray<Group>
        /// Of a branch: one level below, never empty.
        let children: ContiguousArray<Node>
        /// Of a branch: what the children up to each have together.
        let ends: ContiguousArray<Span>
        let span: Span

        var isLeaf: Bool { children.isEmpty }
        var count: Int { isLeaf ? groups.count : children.count }
        /// The name of the first group.
        let firstName: String

        init(_ groups: ContiguousArray<Group>) {
            self.groups = groups
            children = []
            ends = []
            span = Span(groups: groups.count, sections: groups.reduce(0) { $0 + ($1.hasSection ? 1 : 0) })
            firstName = groups.first?.name ?? ""
        }

        init(_ children: ContiguousArray<Node>) {
            groups = []
            self.children = children
            var sum = Span()
            ends = ContiguousArray(
                children.map { child in
                    sum = sum + child.span
                    return sum
                })
            span = sum
            firstName = children[0].firstName
        }
    }

    private let root: Node

    private init(root: Node) { self.root = root }

    init(_ groups: some Sequence<ListLayout.Group>) {
        root = Node.root(of: Node.leaves(of: ContiguousArray(groups)))
    }

    /// The number of groups that have a section.
    var sectionCount: Int { root.span.sections }
}

// MARK: - Groups

extension GroupTree: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { root.span.groups }

    /// The group at a place. O(log *g*).
    subscript(place: Int) -> ListLayout.Group {
        if root.isLeaf { return root.groups[place] }
        let (leaf, start) = leaf(at: place)
        return leaf.groups[place - start]
    }

    /// Goes through all groups, each O(1).
    func makeIterator() -> Iterator { Iterator(self) }

    struct Iterator: IteratorProtocol {
        private let tree: GroupTree
        private var groups: ContiguousArray<ListLayout.Group>
        private var place = 0
        private var end = 0

        fileprivate init(_ tree: GroupTree) {
            self.tree = tree
            groups = []
        }

        mutating func next() -> ListLayout.Group? {
            if place == end {
                guard end < tree.endIndex else { return nil }
                groups = tree.leaf(at: end).leaf.groups
                (place, end) = (end, end + groups.count)
            }
            defer { place += 1 }
            return groups[groups.count - (end - place)]
        }
    }

    private func leaf(at place: Int) -> (leaf: Node, start: Int) {
        precondition(place >= 0 && place < endIndex, "group \(place) of \(endIndex)")
        var node = root
        var start = 0
        while !node.isLeaf {
            let child = prefixCount(node.ends.count) { node.ends[$0].groups <= place - start }
            if child > 0 { start += node.ends[child - 1].groups }
            node = node.children[child]
        }
        return (node, start)
    }

    /// Where the first group stands whose name does not come before `name` by its bytes. The groups ascend. O(log *g*).
    func lowerBound(of name: String) -> Int {
        var node = root
        var start = 0
        while !node.isLeaf {
            // The last child that begins before it.
            let child = Swift.max(
                0,
                prefixCount(node.children.count) {
                    node.children[$0].firstName.utf8.lexicographicallyPrecedes(name.utf8)
                } - 1)
            if child > 0 { start += node.ends[child - 1].groups }
            node = node.children[child]
        }
        return start
            + prefixCount(node.groups.count) { node.groups[$0].name.utf8.lexicographicallyPrecedes(name.utf8) }
    }
}

// MARK: - Sections

extension GroupTree {
    /// The section of the group at a place, counted among the groups that have one; `nil` if it has none. O(log *g*).
    func section(ofGroupAt place: Int) -> Int? {
        var node = root
        var (place, section) = (place, 0)
        while !node.isLeaf {
            let child = prefixCount(node.ends.count) { node.ends[$0].groups <= place }
            if child > 0 {
                place -= node.ends[child - 1].groups
                section += node.ends[child - 1].sections
            }
            node = node.children[child]
        }
        guard node.groups[place].hasSection else { return nil }
        if node.span.sections == node.span.groups { return section + place }
        return section + node.groups[..<place].reduce(0) { $0 + ($1.hasSection ? 1 : 0) }
    }

    /// The place of the group that a section shows. `section` must be there. O(log *g*).
    func place(ofSection section: Int) -> Int {
        var node = root
        var (place, section) = (0, section)
        while !node.isLeaf {
            let child = prefixCount(node.ends.count) { node.ends[$0].sections <= section }
            if child > 0 {
                place += node.ends[child - 1].groups
                section -= node.ends[child - 1].sections
            }
            node = node.children[child]
        }
        if node.span.sections == node.span.groups { return place + section }
        for (index, group) in node.groups.enumerated() where group.hasSection {
            if section == 0 { return place + index }
            section -= 1
        }
        preconditionFailure("a section shows a group")
    }
}

// MARK: - The next version

extension GroupTree {
    /// What becomes of a place.
    struct Edit {
        let place: Int
        /// What stands there from now on; `nil` for nothing.
        let group: ListLayout.Group?
        /// Whether the group comes before the one that stood at `place`, which stays.
        let isInsertion: Bool
    }

    /// The groups with some edits, which ascend by place. O(number of edits · log *g*).
    func applying(_ edits: [Edit]) -> GroupTree {
        assert(zip(edits, edits.dropFirst()).allSatisfy { $0.place <= $1.place }, "edits ascend")
        guard !edits.isEmpty else { return self }
        return GroupTree(root: Node.root(of: root.applying(edits[...], from: 0)))
    }

    /// How many nodes this version has that another has not: what keeping both costs.
    func nodeCount(notSharedWith other: GroupTree) -> Int {
        var theirs: Set<ObjectIdentifier> = []
        other.root.visit { theirs.insert(ObjectIdentifier($0)) }
        var count = 0
        root.visit { if !theirs.contains(ObjectIdentifier($0)) { count += 1 } }
        return count
    }
}

extension GroupTree.Node {
    fileprivate typealias Node = GroupTree.Node

    fileprivate func visit(_ body: (Node) -> Void) {
        body(self)
        for child in children { child.visit(body) }
    }

    /// What comes of this node, in nodes of its level; none if nothing is left.
    fileprivate func applying(_ edits: ArraySlice<GroupTree.Edit>, from start: Int) -> ContiguousArray<Node> {
        isLeaf ? editedLeaves(edits, start) : editedBranches(edits, start)
    }

    private func editedLeaves(_ edits: ArraySlice<GroupTree.Edit>, _ start: Int) -> ContiguousArray<Node> {
        var edited: ContiguousArray<ListLayout.Group> = []
        edited.reserveCapacity(groups.count + edits.count)
        var next = 0
        for edit in edits {
            let place = edit.place - start
            edited += groups[next..<place]
            if let group = edit.group { edited.append(group) }
            next = edit.isInsertion ? place : place + 1
        }
        edited += groups[next...]
        return Self.leaves(of: edited)
    }

    private func editedBranches(_ edits: ArraySlice<GroupTree.Edit>, _ start: Int) -> ContiguousArray<Node> {
        var edited: ContiguousArray<Node> = []
        edited.reserveCapacity(children.count + 1)
        var rest = edits
        for (index, child) in children.enumerated() {
            let isLast = index == children.count - 1
            let its = isLast ? rest : rest.prefix { $0.place < start + ends[index].groups }
            rest = rest.dropFirst(its.count)
            guard !its.isEmpty else {
                edited.append(child)
                continue
            }
            let first = start + (index == 0 ? 0 : ends[index - 1].groups)
            for node in child.applying(its, from: first) {
                // What is left of two may have room in one.
                if let last = edited.last, last.count + node.count <= Self.width / 2 {
                    edited[edited.count - 1] =
                        last.isLeaf ? Node(last.groups + node.groups) : Node(last.children + node.children)
                } else {
                    edited.append(node)
                }
            }
        }
        return Self.branches(over: edited)
    }

    /// As few leaves as hold the groups, of about the same size; none for none.
    fileprivate static func leaves(of groups: ContiguousArray<ListLayout.Group>) -> ContiguousArray<Node> {
        if groups.count <= width { return groups.isEmpty ? [] : [Node(groups)] }
        return ContiguousArray(parts(of: groups.count).map { Node(ContiguousArray(groups[$0])) })
    }

    fileprivate static func branches(over nodes: ContiguousArray<Node>) -> ContiguousArray<Node> {
        if nodes.count <= width { return nodes.isEmpty ? [] : [Node(nodes)] }
        return ContiguousArray(parts(of: nodes.count).map { Node(ContiguousArray(nodes[$0])) })
    }

    private static func parts(of count: Int) -> [Range<Int>] {
        let number = (count + width - 1) / width
        return (0..<number).map { count * $0 / number..<count * ($0 + 1) / number }
    }

    /// One node over nodes of one level.
    fileprivate static func root(of nodes: ContiguousArray<Node>) -> Node {
        var nodes = nodes
        while nodes.count > 1 { nodes = branches(over: nodes) }
        guard var root = nodes.first else { return Node(ContiguousArray<ListLayout.Group>()) }
        while root.children.count == 1 { root = root.children[0] }
        return root
    }
}
