import YaprakLocks

/// Functions on the bytes of one encoded data item.
///
///     var offset = 0
///     while offset < sequence.count {                     // a CBOR sequence, RFC 8742
///         let length = try CBORItem.length(of: sequence, from: offset)
///         handle(sequence[offset..<offset + length])
///         offset += length
///     }
public enum CBORItem {
    /// Arrays, maps and tags may be nested this deep; the scalar inside the innermost is not counted.
    ///
    /// A type that holds itself in an array, a dictionary or a case of an enumeration takes two for each level
    /// (`{"replies": [{…}]}`): 256 levels of that, the outermost value, and room for what a container format puts around.
    public static let depthMax = 2 * (256 + 1) + 8

    /// The length in bytes of the well-formed item (RFC 8949 §5.3.1) that starts at `offset`.
    ///
    /// Bytes before `offset` and after the item are not read. Lengths are checked against the remaining bytes before
    /// anything relies on them, so that any input gives a result or an error. Text is not checked for UTF-8, nor maps for
    /// duplicate keys: that is validity, not well-formedness.
    /// A `maxDepth` above ``depthMax`` counts as ``depthMax``, so that no input can exhaust the stack.
    /// - Throws: `CBORError` with code `truncated`, `malformed` or `tooDeep`.
    /// - Complexity: O(length), no allocation for what nests less than 16 levels deep.
    public static func length(
        of bytes: UnsafeRawBufferPointer, from offset: Int = 0, maxDepth: Int = depthMax
    ) throws(CBORError) -> Int {
        try end(bytes, offset, min(maxDepth, depthMax)) - offset
    }

    /// The length in bytes of the well-formed item that starts at `offset`. Throws and costs as the one above.
    public static func length(
        of bytes: [UInt8], from offset: Int = 0, maxDepth: Int = depthMax
    ) throws(CBORError) -> Int {
        try withRaw(bytes) { raw throws(CBORError) in try end(raw, offset, min(maxDepth, depthMax)) } - offset
    }

    /// The length in bytes of the well-formed item that starts at the index `offset` of the slice. Throws and costs as the one
    /// above.
    ///
    /// `offset` is an index of the slice, `bytes.startIndex` for its first byte.
    public static func length(
        of bytes: ArraySlice<UInt8>, from offset: Int, maxDepth: Int = depthMax
    ) throws(CBORError) -> Int {
        let (relative, overflow) = offset.subtractingReportingOverflow(bytes.startIndex)
        guard !overflow else { throw .truncated(offset) }
        return try withRaw(bytes) { raw throws(CBORError) in try end(raw, relative, min(maxDepth, depthMax)) }
            - relative
    }

    /// The offset after the item that starts at `offset`, with `depth` more levels allowed inside.
    static func end(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ depth: Int) throws(CBORError) -> Int {
        let head = try Head(bytes, at: offset)
        return try end(bytes, offset, head, depth)
    }

    /// The offset after the item whose head has been read.
    @inline(__always)
    static func end(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ head: Head, _ depth: Int
    ) throws(CBORError) -> Int {
        switch head.major {
        case Major.unsigned, Major.negative:
            return head.end
        case Major.bytes, Major.text:
            if head.isIndefinite { return try endOfChunks(bytes, head) }
            guard head.argument <= UInt64(bytes.count - head.end) else { throw .truncated(bytes.count) }
            return head.end + Int(head.argument)
        case Major.other:
            if head.isIndefinite { throw .malformed("a break stands where an item should", offset) }
            return head.end
        default:
            return try endOfContainer(bytes, offset, head, depth)
        }
    }

    private static func endOfContainer(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ head: Head, _ depth: Int
    ) throws(CBORError) -> Int {
        guard depth > 0 else { throw .tooDeep(offset) }
        // The levels that are left say how many were entered; of those only the first are on the call stack.
        if depth <= depthMax - DeepStack.levelsBefore { return try endOfDeep(bytes, offset, head, depth) }
        if head.major == Major.tag { return try end(bytes, head.end, depth - 1) }
        if head.isIndefinite { return try endOfIndefinite(bytes, head, depth) }
        var position = head.end
        for _ in 0..<(try itemCount(bytes, head)) {
            let length = scalarLength(bytes, position)
            position = length > 0 ? position + length : try end(bytes, position, depth - 1)
        }
        return position
    }

    /// The length of a number, a short string or a simple value that ends within `bytes`; 0 of anything else, be it malformed.
    ///
    /// Nearly all items in a record are one of these, and their length follows from their first byte or two.
    @inline(__always)
    private static func scalarLength(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        let room = bytes.count - offset
        guard room > 0 else { return 0 }
        let first = bytes[offset], major = first >> 5, info = Int(first & 31)
        let length: Int
        switch major {
        case Major.unsigned, Major.negative: length = info < 24 ? 1 : info < 28 ? 1 + 1 << (info - 24) : 0
        case Major.bytes, Major.text:
            length = info < 24 ? 1 + info : info == 24 && room > 1 ? 2 + Int(bytes[offset + 1]) : 0
        case Major.other: length = info < 24 ? 1 : info > 24 && info < 28 ? 1 + 1 << (info - 24) : 0
        default: length = 0
        }
        return length <= room ? length : 0
    }

    /// The same without the call stack, which a deep item might exhaust.
    @inline(never)
    private static func endOfDeep(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ head: Head, _ depth: Int
    ) throws(CBORError) -> Int {
        struct Container {
            let isMap: Bool
            /// Items that are still to come; nil if a break ends them.
            var left: Int?
            var read = 0
        }
        var open: [Container] = [], position = offset, head = head
        while true {
            if head.major == Major.array || head.major == Major.map || head.major == Major.tag {
                guard open.count < depth else { throw .tooDeep(position) }
                let left = head.major == Major.tag ? 1 : head.isIndefinite ? nil : try itemCount(bytes, head)
                open.append(Container(isMap: head.major == Major.map, left: left))
                position = head.end
            } else {
                position = try end(bytes, position, head, 0)
            }
            // What ends here ends the containers around it that it was the last item of.
            while let last = open.last {
                if let left = last.left {
                    if left > 0 { break }
                } else {
                    guard try Head(bytes, at: position).isBreak else { break }
                    if last.isMap, last.read % 2 == 1 { throw .malformed("a key has no value", position) }
                    position += 1
                }
                open.removeLast()
            }
            guard let innermost = open.indices.last else { return position }
            open[innermost].left? -= 1
            open[innermost].read += 1
            head = try Head(bytes, at: position)
        }
    }

    /// The offset after the item that starts at `offset`, and whether recursions over it need a ``DeepStack``.
    /// - Throws: as ``length(of:from:maxDepth:)-(UnsafeRawBufferPointer,_,_)``. - Complexity: as that.
    static func measure(
        _ bytes: UnsafeRawBufferPointer, from offset: Int, _ levels: Int = DeepStack.levelsBefore
    ) throws(CBORError) -> (end: Int, isDeep: Bool) {
        let head = try Head(bytes, at: offset)
        if let end = try endOfShallow(bytes, offset, head, levels) { return (end, false) }
        return (try end(bytes, offset, head, depthMax), true)
    }

    /// The offset after an item; nil if containers are nested in it more than `levels` deep.
    private static func endOfShallow(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ head: Head, _ levels: Int
    ) throws(CBORError) -> Int? {
        guard head.major == Major.array || head.major == Major.map || head.major == Major.tag else {
            return try end(bytes, offset, head, 0)
        }
        if levels == 0 { return nil }
        if head.major == Major.tag {
            return try endOfShallow(bytes, head.end, try Head(bytes, at: head.end), levels - 1)
        }
        var position = head.end, read = 0
        let count = head.isIndefinite ? nil : try itemCount(bytes, head)
        while read != count {
            read += 1
            let length = scalarLength(bytes, position)
            if length > 0 {
                position += length
                continue
            }
            let next = try Head(bytes, at: position)
            if count == nil, next.isBreak {
                if head.major == Major.map, read % 2 == 0 { throw .malformed("a key has no value", position) }
                return position + 1
            }
            guard let end = try endOfShallow(bytes, position, next, levels - 1) else { return nil }
            position = end
        }
        return position
    }

    /// The number of items in a definite array or map. Each takes at least a byte, so a count can't exceed what remains.
    @inline(__always)
    static func itemCount(_ bytes: UnsafeRawBufferPointer, _ head: Head) throws(CBORError) -> Int {
        let room = UInt64(bytes.count - head.end)
        guard head.argument <= (head.major == Major.map ? room / 2 : room) else { throw .truncated(bytes.count) }
        return head.major == Major.map ? Int(head.argument) * 2 : Int(head.argument)
    }

    private static func endOfIndefinite(
        _ bytes: UnsafeRawBufferPointer, _ head: Head, _ depth: Int
    ) throws(CBORError) -> Int {
        var position = head.end, count = 0
        while true {
            let next = try Head(bytes, at: position)
            if next.isBreak { break }
            position = try end(bytes, position, next, depth - 1)
            count += 1
        }
        if head.major == Major.map, count % 2 == 1 { throw .malformed("a key has no value", position) }
        return position + 1
    }

    private static func endOfChunks(_ bytes: UnsafeRawBufferPointer, _ head: Head) throws(CBORError) -> Int {
        var position = head.end
        while true {
            let chunk = try Head(bytes, at: position)
            if chunk.isBreak { return chunk.end }
            guard chunk.major == head.major, !chunk.isIndefinite else {
                throw .malformed("a chunk of a string is not a string of that type and of known length", position)
            }
            guard chunk.argument <= UInt64(bytes.count - chunk.end) else { throw .truncated(bytes.count) }
            position = chunk.end + Int(chunk.argument)
        }
    }
}

extension CBORError {
    @inline(never) static func tooDeep(_ offset: Int?) -> CBORError {
        CBORError(.tooDeep, "items are nested more than \(CBORItem.depthMax) deep", offset: offset)
    }
}

/// Lends the bytes of an array or a slice to `body`, whose own error passes through.
@inline(__always)
func withRaw<Result>(
    _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(CBORError) -> Result
) throws(CBORError) -> Result {
    try bytes.withUnsafeBufferPointer { (buffer) throws(CBORError) in try body(UnsafeRawBufferPointer(buffer)) }
}

/// Lends the bytes of an array or a slice to `body`, whose own error passes through.
@inline(__always)
func withRaw<Result>(
    _ bytes: ArraySlice<UInt8>, _ body: (UnsafeRawBufferPointer) throws(CBORError) -> Result
) throws(CBORError) -> Result {
    try bytes.withUnsafeBufferPointer { (buffer) throws(CBORError) in try body(UnsafeRawBufferPointer(buffer)) }
}
