/// The coding path of an item of which nothing but its offset is known.
extension DecodingState {
    /// The keys to the item at `offset`, from the outermost item on.
    /// - Complexity: O(bytes) times the nesting of containers for all offsets together, where they ascend: it goes on where the
    ///   path before it led. It is asked for by errors, and for a prototype.
    @inline(never)
    func path(to offset: Int) -> [any CodingKey] {
        // What stands behind the start of the prototype is in the prototype.
        let start = prototype.map { offset < $0 ? 0 : $0 } ?? 0
        return call.path(to: offset, from: start, in: self)
    }
}

/// The items around an offset.
struct PathTrail {
    /// An item of a container.
    struct Step {
        let isMap: Bool
        /// The items of the container; nil if a break ends them.
        let count: Int?
        var index = 0
        var key: any CodingKey = IndexKey(0)
        /// Where the item begins and ends.
        var item = 0
        var end: Int
    }

    private var start = 0
    private var steps: [Step] = []

    /// Goes to `offset`, which is in the item at `start`, and gives the keys on the way.
    mutating func lead(to offset: Int, from start: Int, in state: DecodingState) -> [any CodingKey] {
        go(to: offset, from: start, in: state)
        return steps.map(\.key)
    }

    private mutating func go(to offset: Int, from start: Int, in state: DecodingState) {
        if start != self.start { steps = [] }
        self.start = start
        var passed: Step?
        while let last = steps.last, offset < last.item || offset >= last.end {
            passed = last.end <= offset ? last : nil
            steps.removeLast()
        }
        // What begins here has no items before it.
        if steps.last?.item == offset { return }
        while let step = try? next(passed, to: offset, in: state) {
            steps.append(step)
            passed = nil
            if step.item == offset { return }
        }
    }

    /// The item of the innermost container that holds `offset`, behind `passed` if that is one of its items.
    private func next(_ passed: Step?, to offset: Int, in state: DecodingState) throws(CBORError) -> Step? {
        var step: Step, reader: CBORReader
        if let passed {
            step = passed
            step.index += 1
            reader = CBORReader(state.bytes, at: step.end)
        } else {
            let place = steps.last?.item ?? start
            guard place < offset else { return nil }
            reader = try state.reader(at: place)
            let isMap = try reader.peek() == .map
            step = Step(isMap: isMap, count: isMap ? try reader.readMapHead() : try reader.readArrayHead(), end: 0)
        }
        while step.index != step.count, try reader.peek() != .stop {
            let key = step.isMap ? ItemKey(try CBORValue(&reader)) : nil
            step.item = reader.position
            guard step.item <= offset else { return nil }
            try reader.skip()
            step.end = reader.position
            if offset < step.end {
                step.key = key ?? ItemKey(index: step.index)
                return step
            }
            step.index += 1
        }
        return nil
    }
}

/// A key as it stands in the bytes.
private struct ItemKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ key: CBORValue) {
        intValue = key.integer.flatMap { Int(exactly: $0) }
        stringValue = key.text ?? key.description
    }
    init(index: Int) {
        stringValue = IndexKey(index).stringValue
        intValue = index
    }
    init(stringValue: String) { self.init(.text(stringValue)) }
    init(intValue: Int) { self.init(.integer(Int64(intValue))) }
}
