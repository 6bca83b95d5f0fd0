/// An array of which every copy is a version: a collection's slot leads to its binding, or to its tree where a ``RootVector``
/// does not have that in place.
///
///     head ──▶ │ 0 … 31 │                          an array like any other: all that most databases have
///     rest ──▶ │ • • … │──▶ │ 32 … 63 │            as many levels of 32 as the slots behind it need
///                └────────▶ │ 64 … 95 │
///
/// A copy is O(1) and shares everything. A change copies the chunk the slot is in and the way to it, unless no other
/// version has them: 32 entries for each level, whatever the number of slots.
///
/// - Invariant: `rest` is there only if `head` is full; every chunk but the last one is full.
@usableFromInline
struct SlotVector<Element: Sendable>: Sendable {
    fileprivate static var bits: Int { 5 }
    fileprivate static var width: Int { 1 << bits }
    fileprivate static var mask: Int { width - 1 }

    /// A chunk of elements, or of such nodes.
    fileprivate enum Node: Sendable {
        case chunk(ContiguousArray<Element>)
        case branch(ContiguousArray<Node>)
    }

    /// The elements of the first slots, where nearly all look-ups end.
    private(set) var head: ContiguousArray<Element>
    private var rest: Node?
    /// The levels of branches in `rest`.
    private var level = 0
    private var restCount = 0

    init() { head = [] }

    init(_ elements: some Sequence<Element>) {
        self.init()
        for element in elements { append(element) }
    }
}

// MARK: - Elements

extension SlotVector: RandomAccessCollection {
    @usableFromInline var startIndex: Int { 0 }
    @usableFromInline var endIndex: Int { head.count &+ restCount }

    /// The element of a slot. O(1) for the first 32, O(log *n*) behind them; so is setting it in a version that nobody
    /// shares.
    @usableFromInline
    subscript(slot: Int) -> Element {
        @inline(__always) get { slot < Self.width ? head[slot] : elementInRest(slot) }
        // No accessor that yields: elements are a word or two, and a coroutine that is not inlined allocates.
        @inline(__always) set {
            if slot < Self.width { head[slot] = newValue } else { setElementInRest(slot, newValue) }
        }
    }

    @inline(never)
    private func elementInRest(_ slot: Int) -> Element {
        let index = slot - Self.width
        precondition(index >= 0 && index < restCount, "slot \(slot) of \(count)")
        var node = rest!
        var shift = level * Self.bits
        while case .branch(let nodes) = node {
            node = nodes[index >> shift & Self.mask]
            shift -= Self.bits
        }
        guard case .chunk(let elements) = node else { preconditionFailure("branches end in chunks") }
        return elements[index & Self.mask]
    }

    @inline(never)
    private mutating func setElementInRest(_ slot: Int, _ element: Element) {
        rest!.set(slot - Self.width, element, level * Self.bits)
    }

    /// Adds a slot at the end. O(log *n*).
    mutating func append(_ element: Element) {
        if head.count < Self.width { return head.append(element) }
        let index = restCount
        restCount += 1
        guard rest != nil else {
            rest = .chunk([element])
            return
        }
        if index == Self.width << (level * Self.bits) {
            rest = .branch([rest!])
            level += 1
        }
        rest!.append(index, element, level * Self.bits)
    }
}

extension SlotVector.Node {
    /// Each step takes the node out of its place, so that it is copied only if another version has it, too.
    fileprivate mutating func set(_ index: Int, _ element: Element, _ shift: Int) {
        switch self {
        case .chunk(var elements):
            self = .chunk([])
            elements[index & SlotVector.mask] = element
            self = .chunk(elements)
        case .branch(var nodes):
            self = .branch([])
            nodes[index >> shift & SlotVector.mask].set(index, element, shift - SlotVector.bits)
            self = .branch(nodes)
        }
    }

    fileprivate mutating func append(_ index: Int, _ element: Element, _ shift: Int) {
        switch self {
        case .chunk(var elements):
            self = .chunk([])
            elements.append(element)
            self = .chunk(elements)
        case .branch(var nodes):
            self = .branch([])
            let place = index >> shift & SlotVector.mask
            if place < nodes.count {
                nodes[place].append(index, element, shift - SlotVector.bits)
            } else {
                var node = Self.chunk([element])
                for _ in 1..<(shift / SlotVector.bits) { node = .branch([node]) }
                nodes.append(node)
            }
            self = .branch(nodes)
        }
    }
}

extension SlotVector: ExpressibleByArrayLiteral {
    @usableFromInline init(arrayLiteral elements: Element...) { self.init(elements) }
}

// MARK: - What versions share

extension SlotVector {
    /// A vector of equal elements. O(log *n*): its chunks are one and the same.
    init(repeating element: Element, count: Int) {
        self.init()
        head = ContiguousArray(repeating: element, count: Swift.min(count, Self.width))
        restCount = count - head.count
        guard restCount > 0 else { return }
        while restCount > Self.width << (level * Self.bits) { level += 1 }
        // Of each level the node that is full, and the one at the end.
        var full = Node.chunk(head)
        var chunks = restCount / Self.width
        var last: Node? = restCount & Self.mask == 0 ? nil : .chunk(ContiguousArray(head[..<(restCount & Self.mask)]))
        for _ in 0..<level {
            let fullHere = chunks & Self.mask
            let here = ContiguousArray(repeating: full, count: fullHere) + (last.map { [$0] } ?? [])
            chunks >>= Self.bits
            full = .branch(ContiguousArray(repeating: full, count: Self.width))
            last = here.isEmpty ? nil : .branch(here)
        }
        rest = last ?? full
    }

    /// The slots, in ascending order, that stand in chunks of this version which the other one does not have in the same
    /// place; whatever differs between the two is among them.
    /// - Complexity: O(*d* · log *n*) with *d* the chunks that differ.
    func slots(notSharedWith other: SlotVector) -> [Int] { difference(from: other).slots }

    /// The slots that may differ, and how many nodes this version has for itself: what keeping both costs.
    func difference(from other: SlotVector) -> (slots: [Int], nodes: Int) {
        var found = SlotDifference()
        if !head.isSameBuffer(as: other.head) { found.add(0, head.count) }
        guard let rest else { return (found.slots, found.nodes) }
        var theirs = other.rest
        var theirLevel = other.level
        while theirLevel > level, case .branch(let nodes)? = theirs {
            theirs = nodes.first
            theirLevel -= 1
        }
        rest.collect(Self.width, level, notSharedWith: theirs, theirLevel, &found)
        return (found.slots, found.nodes)
    }
}

/// What one version has and another has not.
private struct SlotDifference {
    var slots: [Int] = []
    var nodes = 0

    mutating func add(_ start: Int, _ count: Int) {
        slots += start..<start + count
        nodes += 1
    }
}

extension SlotVector.Node {
    fileprivate func collect(
        _ start: Int, _ level: Int, notSharedWith other: Self?, _ otherLevel: Int, _ found: inout SlotDifference
    ) {
        if level == otherLevel, let other, isSame(as: other) { return }
        switch self {
        case .chunk(let elements):
            found.add(start, elements.count)
        case .branch(let nodes):
            found.nodes += 1
            let span = SlotVector.width << ((level - 1) * SlotVector.bits)
            for (place, node) in nodes.enumerated() {
                var theirs: Self?
                var theirLevel = level - 1
                if level > otherLevel {
                    // What they have is the beginning of what is here.
                    if place == 0 { (theirs, theirLevel) = (other, otherLevel) }
                } else if case .branch(let others)? = other, place < others.count {
                    theirs = others[place]
                }
                node.collect(start + place * span, level - 1, notSharedWith: theirs, theirLevel, &found)
            }
        }
    }

    private func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.chunk(let mine), .chunk(let theirs)): mine.isSameBuffer(as: theirs)
        case (.branch(let mine), .branch(let theirs)): mine.isSameBuffer(as: theirs)
        default: false
        }
    }
}

extension ContiguousArray {
    /// Whether both are one piece of memory, and so have the same elements.
    fileprivate func isSameBuffer(as other: ContiguousArray) -> Bool {
        withUnsafeBufferPointer { mine in
            other.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress && mine.count == $0.count }
        }
    }
}
