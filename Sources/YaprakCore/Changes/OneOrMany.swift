/// Some elements in order, of which there is most often one: that one needs no memory of its own.
///
/// Most transactions change one record of one collection. With two elements or more it is an array. Two fields instead of an
/// enumeration, so that the one is changed and looked at where it is: a case would have to be copied out and in.
package struct OneOrMany<Element> {
    /// The element, where there is exactly one.
    package private(set) var only: Element?
    /// All of them, where there are several; otherwise empty.
    package private(set) var several: ContiguousArray<Element> = []

    /// One element. O(1), no allocation.
    @inline(__always)
    package static func one(_ element: consuming Element) -> OneOrMany { OneOrMany(only: element) }

    @inline(__always)
    private init(only: consuming Element) { self.only = only }

    /// Elements that were gathered elsewhere. O(1) for those of a `ContiguousArray`.
    package init(_ elements: some Sequence<Element>) {
        let elements = ContiguousArray(elements)
        if elements.count == 1 { only = elements[0] } else { several = elements }
    }

    /// The elements as an array. O(1), except for a single one, which is put into a new array.
    package var array: ContiguousArray<Element> { only.map { [$0] } ?? several }

    /// Changes an element in place.
    @inline(__always)
    package mutating func update(at position: Int, _ body: (inout Element) -> Void) {
        if only != nil {
            precondition(position == 0, "position \(position) of one element")
            body(&only!)
        } else {
            body(&several[position])
        }
    }

    /// Adds an element at the end. O(1) on average.
    package mutating func append(_ element: Element) {
        if let first = only.take() {
            several = [first, element]
        } else if several.isEmpty {
            only = element
        } else {
            several.append(element)
        }
    }

    /// Takes the element out, where there is exactly one.
    @inline(__always)
    package mutating func takeOnly() -> Element? { only.take() }

    /// Takes all out.
    package mutating func takeAll() -> OneOrMany {
        var all: OneOrMany = []
        swap(&all, &self)
        return all
    }
}

extension OneOrMany: Sendable where Element: Sendable {}

extension OneOrMany: RandomAccessCollection {
    package var startIndex: Int { 0 }

    package var endIndex: Int { only != nil ? 1 : several.count }

    package subscript(position: Int) -> Element {
        guard let only else { return several[position] }
        precondition(position == 0, "position \(position) of one element")
        return only
    }
}

extension OneOrMany: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: Element...) { self.init(elements) }
}
