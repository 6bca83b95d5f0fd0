import YaprakTrees

extension WordScanner {
    /// Scans what differs of two texts: see ``TextSplitter/splitDifference(of:_:_:)``.
    @inline(__always)
    func scanDifference(
        of old: UnsafeBufferPointer<UInt8>, _ new: UnsafeBufferPointer<UInt8>, _ emit: (Token, _ isNew: Bool) -> Void
    ) -> TextSplitter.CommonParts {
        var parts = TextSplitter.CommonParts(start: Self.commonWords(old, new))
        if parts.start == old.count, parts.start == new.count { return parts }
        let end = Self.commonWordsAtEnd(old, new, behind: parts.start)
        let oldCount = scan(old[parts.start..<old.count - end], at: 0) { emit($0, false) }
        let newCount = scan(new[parts.start..<new.count - end], at: 0) { emit($0, true) }
        if oldCount == newCount {
            (parts.end, parts.middle) = (end, oldCount)
        } else {
            scan(old[(old.count - end)...], at: oldCount) { emit($0, false) }
            scan(new[(new.count - end)...], at: newCount) { emit($0, true) }
        }
        return parts
    }

    /// Scans parts of a text that it has in common with another: see ``TextSplitter/split(_:of:for:_:)``.
    @inline(__always)
    func scan(
        _ parts: TextSplitter.CommonParts, of text: UnsafeBufferPointer<UInt8>, for wanted: TermBeginnings,
        _ emit: (Token) -> Void
    ) -> Int {
        let start = scan(UnsafeBufferPointer(rebasing: text[..<parts.start]), for: wanted, emit)
        if parts.end > 0 {
            let end = UnsafeBufferPointer(rebasing: text[(text.count - parts.end)...])
            _ = scan(end, for: wanted) { emit($0.moved(by: start + parts.middle)) }
        }
        return start
    }

    /// Scans a part of a text that begins at a position.
    @inline(__always)
    @discardableResult
    func scan(_ part: Slice<UnsafeBufferPointer<UInt8>>, at position: Int, _ emit: (Token) -> Void) -> Int {
        scan(UnsafeBufferPointer(rebasing: part), for: .document) { emit($0.moved(by: position)) }
    }

    /// A scan remembers nothing of what stands before a space, and looks at nothing behind it.
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A }

    /// The bytes up to the last space of what two texts begin with; all if they are the same.
    private static func commonWords(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        var count = KeyBytes.commonPrefix(a, b)
        if count == a.count, count == b.count { return count }
        while count > 0, !isSpace(a[count - 1]) { count -= 1 }
        return count
    }

    /// The bytes behind the first space of what two texts end with, behind their first bytes.
    private static func commonWordsAtEnd(
        _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, behind start: Int
    ) -> Int {
        let most = min(a.count, b.count) - start
        var count = 0
        var behindSpace = 0
        while count < most {
            let byte = a[a.count - 1 - count]
            guard byte == b[b.count - 1 - count] else { break }
            if isSpace(byte) { behindSpace = count }
            count += 1
        }
        return behindSpace
    }
}
