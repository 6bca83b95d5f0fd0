/// Some elements in order, of which there is most often one: that one needs no memory of its own.
///
/// Most transactions change one record of one collection. With two elements or more it is an array.
package enum OneOrMany<Element> {
    case one(Element)
    case many(ContiguousArray<Element>)

    /// Elements that were gathered elsewhere. O(1) for those of a `ContiguousArray`.
    package init(_ elements: some Sequence<Element>) {
        let elements = ContiguousArray(elements)
        self = elements.count == 1 ? .one(elements[0]) : .many(elements)
    }

    /// The elements as an array. O(1), except for a single one, which is put into a new array.
    package var array: ContiguousArray<Element> {
        switch self {
        case .one(let element): [element]
        case .many(let elements): elements
        }
    }

    /// Changes an element in place.
    package mutating func update(at position: Int, _ body: (inout Element) -> Void) {
        // Taken out of its place, so that nothing in it is copied.
        switch self {
        case .one(var element):
            precondition(position == 0, "position \(position) of one element")
            self = .many([])
            body(&element)
            self = .one(element)
        case .many(var elements):
            self = .many([])
            body(&elements[position])
            self = .many(elements)
        }
    }

    /// Adds an element at the end. O(1) on average.
    package mutating func append(_ element: Element) {
        switch self {
        case .one(let first): self = .many([first, element])
        case .many(var elements):
            if elements.isEmpty {
                self = .one(element)
            } else {
                // Taken out of its place, so that it is not copied.
                self = .many([])
                elements.append(element)
                self = .many(elements)
            }
        }
    }
}

extension OneOrMany: Sendable where Element: Sendable {}

extension OneOrMany: RandomAccessCollection {
    package var startIndex: Int { 0 }

    package var endIndex: Int {
        switch self {
        case .one: 1
        case .many(let elements): elements.count
        }
    }

    package subscript(position: Int) -> Element {
        switch self {
        case .one(let element):
            precondition(position == 0, "position \(position) of one element")
            return element
        case .many(let elements): return elements[position]
        }
    }
}

extension OneOrMany: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: Element...) { self.init(elements) }
}
