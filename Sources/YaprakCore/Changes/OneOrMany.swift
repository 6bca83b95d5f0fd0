/// Some elements in order, of which there is most often one: that one needs no memory of its own.
///
/// Most transactions change one record of one collection. With two elements or more it is an array. Two fields instead of an
/// enumeration, so that the one is changed and looked at where it is: a case would have to be copied out and in.
///
/// Inlinable, because other modules have elements of their own: a call that is not specialised for them takes four times as long.
@frozen @usableFromInline
package struct OneOrMany<Element> {
    /// The element, where there is exactly one. Written so that there is no `nil` to begin with, which an initializer would
    /// destroy by way of the runtime.
    // swift-format-ignore: UseShorthandTypeNames
    @usableFromInline package internal(set) var only: Optional<Element>
    /// All of them, where there are several; otherwise empty.
    @usableFromInline package internal(set) var several: ContiguousArray<Element>

    /// One element. O(1), no allocation.
    @inlinable @inline(__always)
    package static func one(_ element: consuming Element) -> OneOrMany { OneOrMany(only: element) }

    @inlinable @inline(__always)
    init(only: consuming Element) {
        self.only = only
        several = []
    }

    /// No element. O(1).
    @inlinable @inline(__always)
    package init() {
        only = nil
        several = []
    }

    /// Elements that were gathered elsewhere. O(1) for those of a `ContiguousArray`.
    @inlinable
    package init(_ elements: some Sequence<Element>) {
        let elements = ContiguousArray(elements)
        let isOne = elements.count == 1
        only = isOne ? elements[0] : nil
        several = isOne ? [] : elements
    }

    /// The elements as an array. O(1), except for a single one, which is put into a new array.
    @inlinable package var array: ContiguousArray<Element> { only.map { [$0] } ?? several }

    /// Adds an element at the end. O(1) on average.
    @inlinable
    package mutating func append(_ element: consuming Element) {
        if let first = only.take() {
            several = [first, element]
        } else if several.isEmpty {
            only = element
        } else {
            several.append(element)
        }
    }

    /// Takes all out.
    @inlinable
    package mutating func takeAll() -> OneOrMany {
        var all = OneOrMany()
        swap(&all, &self)
        return all
    }
}

extension OneOrMany: Sendable where Element: Sendable {}

extension OneOrMany: RandomAccessCollection, MutableCollection {
    @inlinable package var startIndex: Int { 0 }

    @inlinable package var endIndex: Int { only != nil ? 1 : several.count }

    @inlinable
    package subscript(position: Int) -> Element {
        get {
            guard let only else { return several[position] }
            precondition(position == 0, "position \(position) of one element")
            return only
        }
        _modify {
            if only == nil {
                yield &several[position]
            } else {
                precondition(position == 0, "position \(position) of one element")
                yield &only!
            }
        }
    }
}

extension OneOrMany: ExpressibleByArrayLiteral {
    @inlinable package init(arrayLiteral elements: Element...) { self.init(elements) }
}
