import YaprakTrees

/// A range of values of one column, as the bytes of its entries: from `lower` up to `upper`, not including it.
///
/// The byte 0xFF, which no entry has in front of its text, stands behind all that may follow a value.
package struct IndexSpan: Sendable, Hashable {
    package var lower: [UInt8]
    package var upper: [UInt8]
    /// The bytes of the value, if it is one.
    package var point: [UInt8]?

    package init(_ lower: [UInt8], _ upper: [UInt8]) {
        self.lower = lower
        self.upper = upper
    }

    package init(point: [UInt8]) {
        lower = point
        upper = point.withEnd
        self.point = point
    }

    package var isEmpty: Bool { !lower.lexicographicallyPrecedes(upper) }

    /// What both contain.
    package func intersection(_ other: IndexSpan) -> IndexSpan {
        if point != nil { return other.contains(lower) ? self : IndexSpan([0xFF], [0xFF]) }
        if other.point != nil { return other.intersection(self) }
        return IndexSpan(
            lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower,
            upper.lexicographicallyPrecedes(other.upper) ? upper : other.upper)
    }

    private func contains(_ bytes: [UInt8]) -> Bool {
        !bytes.lexicographicallyPrecedes(lower) && bytes.lexicographicallyPrecedes(upper)
    }
}

/// One end of a range of values.
package enum IndexBound<Value> {
    case unbounded
    case including(Value)
    case excluding(Value)
}

extension ColumnRule {
    /// The bytes of a value as the entries of this column have them. `prefixLength` of a string without its end.
    private func bytes(_ write: (inout IndexKeyWriter) -> Void, optionals: Int) -> [UInt8] {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
            var writer = IndexKeyWriter(into: buffer)
            for _ in optionals..<type.optionals { writer.append(2) }
            write(&writer)
            if isDescending { writer.invert(from: 0, isText: type.isText) }
            return writer.array
        }
    }

    /// A value; `nil` for NaN, which is equal to nothing.
    /// - Precondition: the column accepts the type.
    @_specialize(where Value == Int)
    @_specialize(where Value == String)
    package func span<Value: IndexValue>(equal value: Value) -> IndexSpan? {
        guard !value.isNotANumber else { return nil }
        return IndexSpan(point: bytes({ value.write(to: &$0) }, optionals: Value.indexType.optionals))
    }

    /// The values between two; `nil` if an end is NaN. Without an end there is no `nil` in it, and all numbers.
    /// - Precondition: the column accepts the type.
    @_specialize(where Value == Int)
    @_specialize(where Value == String)
    package func span<Value: IndexValue>(from low: IndexBound<Value>, to high: IndexBound<Value>) -> IndexSpan? {
        let optionals = Value.indexType.optionals
        func end(_ bound: IndexBound<Value>, isLow: Bool) -> [UInt8]? {
            // Where the column descends, what is behind a value lies before it.
            switch bound {
            case .including(let value), .excluding(let value):
                guard !value.isNotANumber else { return nil }
                let bytes = bytes({ value.write(to: &$0) }, optionals: optionals)
                var isBehind = !isLow
                if case .excluding = bound { isBehind = isLow }
                return isBehind != isDescending ? bytes.withEnd : bytes
            case .unbounded:
                if type.kind == .real || type.kind == .date {
                    let infinity = isLow ? -Double.infinity : .infinity
                    let bytes = bytes({ $0.real(infinity) }, optionals: 0)
                    return isLow == isDescending ? bytes.withEnd : bytes
                }
                let bytes = bytes({ _ in }, optionals: 0)
                return isLow == isDescending ? bytes.withEnd : bytes
            }
        }
        guard let low = end(low, isLow: true), let high = end(high, isLow: false) else { return nil }
        return isDescending ? IndexSpan(high, low) : IndexSpan(low, high)
    }

    /// All values of a column but `nil` and NaN.
    package var spanOfValues: IndexSpan {
        let span = span(from: IndexBound<Double>.unbounded, to: .unbounded)
        return span.unsafelyUnwrapped
    }

    /// The strings with a prefix.
    package func span(prefix: String) -> IndexSpan {
        let bytes = bytes({ $0.text(prefix) }, optionals: 0)
        return IndexSpan(bytes, bytes.withEnd)
    }
}

extension IndexValue {
    /// Whether it is a number that is none. (Text and data end in 0.)
    package var isNotANumber: Bool {
        guard Self.indexType.isNumber else { return false }
        var writer = IndexKeyWriter()
        write(to: &writer)
        return Self.indexType.isNotANumber(writer.bytes)
    }
}

extension IndexType {
    fileprivate var isNumber: Bool { kind == .real || kind == .date }

    /// Whether the bytes of a value, which were not turned round, are those of a number that is none.
    func isNotANumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        isNumber && bytes.count >= 10 && bytes[bytes.count - 10] == 1 && bytes.suffix(9).allSatisfy { $0 == 0x7F }
    }
}

extension [UInt8] {
    /// The bytes, and the one that stands behind all that may follow them.
    fileprivate var withEnd: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count + 1) { buffer, initialized in
            for i in indices { buffer[i] = self[i] }
            buffer[count] = 0xFF
            initialized = count + 1
        }
    }
}
