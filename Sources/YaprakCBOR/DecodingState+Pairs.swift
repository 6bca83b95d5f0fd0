// The pairs of a map: recorded once, from end to end, and found by their keys. `DecodingState` shows an entry.
//
// Offsets of entries are checked where they are used: the bytes may be gone by then.
extension DecodingState {
    /// Records the pairs of the map at `offset`, which is at `path`, and gives their place.
    @inline(__always)
    func pairs(at offset: Int, path: @autoclosure () -> [any CodingKey]) throws -> (first: Int, count: Int) {
        if offset == 0, rootPairs >= 0 {
            cursor = 0
            return (0, rootPairs)
        }
        let first = entries.count
        do throws(CBORError) {
            try note(at: offset)
        } catch {
            entries.cut(to: first)
            throw translated(error, [String: Any].self, at: offset, path: path())
        }
        cursor = first
        return (first, entries.count - first)
    }

    /// Records the pairs of the map at `offset`.
    func note(at offset: Int) throws(CBORError) {
        let first = entries.count
        var reader = try reader(at: offset)
        let bytes = reader.bytes
        let count = try reader.readMapHead()
        var isSorted = true, position = reader.position, read = 0
        while read != count {
            if count == nil, try reader.readStop(at: &position) { break }
            let head = try Head(bytes, at: position)
            var entry: Entry
            let behind: Int
            if head.major == Major.text, !head.isIndefinite {
                guard head.argument <= UInt64(bytes.count - head.end) else { throw .truncated(bytes.count) }
                let length = Int(head.argument)
                behind = head.end + length
                entry = Entry(
                    prefix: DecodingState.prefix(bytes, head.end, length), key: UInt32(head.end),
                    length: UInt32(length), value: UInt32(behind), kind: .text, isJoined: false)
                // The prefix has the first seven bytes. A key that is no text would be missing from a dictionary.
                if length > 7 || entry.prefix & 0x0080_8080_8080_8080 != 0 {
                    let key = UnsafeRawBufferPointer(rebasing: bytes[head.end..<behind])
                    guard CBORReader.isText(key) else { throw .invalidText(position) }
                }
            } else {
                (entry, behind) = try unusual(head, at: position, bytes)
            }
            if read > 0, isSorted {
                let last = entries.base[entries.count &- 1]
                // Equal prefixes count as unsorted: the longer comparison is made there.
                isSorted =
                    last.kind == entry.kind ? last.prefix < entry.prefix : last.kind.rawValue < entry.kind.rawValue
            }
            entries.push(entry)
            position = try CBORItem.end(bytes, behind, CBORItem.depthMax - 1)
            read += 1
        }
        if offset == 0 { rootEnd = position }
        if !isSorted { try sort(from: first) }
    }

    /// A key that is not text, or one in chunks.
    @inline(never)
    private func unusual(
        _ head: Head, at position: Int, _ bytes: UnsafeRawBufferPointer
    ) throws(CBORError) -> (Entry, Int) {
        let end = try CBORItem.end(bytes, position, head, CBORItem.depthMax - 1)
        var entry = Entry(
            prefix: head.argument, key: UInt32(position), length: UInt32(end - position), value: UInt32(end),
            kind: .other, isJoined: false)
        switch head.major {
        case Major.unsigned: entry.kind = .unsigned
        case Major.negative: entry.kind = .negative
        case Major.bytes, Major.text:
            var reader = CBORReader(bytes, at: position)
            if head.major == Major.text, head.isIndefinite {
                // Each chunk has to be text by itself (§3.2.3).
                var text = reader
                _ = try text.readText()
            }
            let (content, chunks) = try reader.string(head.major, "a string")
            entry.kind = head.major == Major.text ? .text : .bytes
            entry.length = UInt32(content.count)
            entry.key = UInt32(end - content.count)
            if let chunks {
                entry.isJoined = true
                entry.key = UInt32(joined.count)
                entry.length = UInt32(chunks.count)
                joined += chunks
                entry.prefix = chunks.withUnsafeBytes { DecodingState.prefix($0, 0, chunks.count) }
            } else {
                entry.prefix = DecodingState.prefix(bytes, Int(entry.key), content.count)
            }
        default: entry.prefix = 0
        }
        return (entry, end)
    }

    /// The length of a string, up to 255, and its first seven bytes. Decides alone up to seven bytes.
    @inline(__always)
    static func prefix(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ length: Int) -> UInt64 {
        var word: UInt64 = 0
        if bytes.count &- offset >= 8 {
            word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) >> 8
            if length < 7 { word &= ~(0xff_ffff_ffff_ffff >> UInt64(truncatingIfNeeded: 8 &* length)) }
        } else {
            for index in 0..<min(length, 7) {
                word |= UInt64(bytes[offset &+ index]) << UInt64(truncatingIfNeeded: 48 &- 8 &* index)
            }
        }
        return UInt64(truncatingIfNeeded: min(length, 255)) << 56 | word
    }

    @inline(never)
    private func sort(from first: Int) throws(CBORError) {
        var own = UnsafeMutableBufferPointer(start: entries.base + first, count: entries.count - first)
        own.sort { order($0, $1) < 0 }
        for index in own.indices.dropFirst() where order(own[index - 1], own[index]) == 0 {
            throw CBORError(.duplicateKey, "a map has one key twice", offset: Int(own[index].value))
        }
    }

    private func order(_ a: Entry, _ b: Entry) -> Int {
        if a.kind != b.kind { return Int(a.kind.rawValue) - Int(b.kind.rawValue) }
        if a.prefix != b.prefix { return a.prefix < b.prefix ? -1 : 1 }
        if a.kind == .unsigned || a.kind == .negative { return 0 }
        if a.length != b.length { return a.length < b.length ? -1 : 1 }
        return withKey(a) { x in withKey(b) { y in orderBytewise(x, y) } }
    }

    private func withKey<Result>(_ entry: Entry, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = Int(entry.key), end = start + Int(entry.length)
        if entry.isJoined { return joined.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) } }
        guard end <= bytes.count else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }

    /// The key as the coding key a type would make of it; nil for a key that can't be one.
    func codingKey<Key: CodingKey>(_ type: Key.Type, of entry: Entry) -> Key? {
        switch entry.kind {
        case .text: withKey(entry) { CBORReader.text($0) }.flatMap { Key(stringValue: $0) }
        case .unsigned: Int(exactly: entry.prefix).flatMap { Key(intValue: $0) }
        case .negative: Int(exactly: entry.prefix).flatMap { Key(intValue: ~$0) }
        default: nil
        }
    }

    /// The offset of the value under `key` in the map whose notes begin at `first`, or nil.
    @inline(__always)
    func find(_ key: some CodingKey, _ first: Int, _ count: Int) -> Int? {
        let name = key.stringValue
        let found = name.utf8.withContiguousStorageIfAvailable { find(UnsafeRawBufferPointer($0), first, count) }
        let offset = found ?? findForeign(name, first, count)
        if offset >= 0 { return offset }
        return key.intValue.flatMap { find(integer: $0, first, count) }
    }

    @inline(never)
    private func findForeign(_ name: String, _ first: Int, _ count: Int) -> Int {
        var native = name
        return native.withUTF8 { find(UnsafeRawBufferPointer($0), first, count) }
    }

    private func find(_ name: UnsafeRawBufferPointer, _ first: Int, _ count: Int) -> Int {
        let prefix = DecodingState.prefix(name, 0, name.count)
        let end = first + count
        guard first >= 0, end <= entries.count else { return -1 }
        let entries = entries.base
        // The field is most likely the one found last (an optional is requested three times) or the next one. From there the
        // search goes around, or becomes binary.
        var index = cursor >= first && cursor < end ? cursor : first
        for _ in 0..<min(count, 16) {
            if isMatch(entries[index], prefix, name) {
                cursor = index
                return Int(entries[index].value)
            }
            index &+= 1
            if index == end { index = first }
        }
        if count <= 16 { return -1 }
        var low = first, high = end
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(entries[middle], prefix, name) { low = middle + 1 } else { high = middle }
        }
        guard low < end, isMatch(entries[low], prefix, name) else { return -1 }
        cursor = low
        return Int(entries[low].value)
    }

    @inline(__always)
    private func isMatch(_ entry: Entry, _ prefix: UInt64, _ name: UnsafeRawBufferPointer) -> Bool {
        entry.prefix == prefix && entry.kind == .text && (name.count <= 7 || isSame(entry, name))
    }

    private func isSame(_ entry: Entry, _ name: UnsafeRawBufferPointer) -> Bool {
        Int(entry.length) == name.count && withKey(entry) { orderBytewise($0, name) == 0 }
    }

    private func isBefore(_ entry: Entry, _ prefix: UInt64, _ name: UnsafeRawBufferPointer) -> Bool {
        if entry.kind != .text { return entry.kind.rawValue < KeyKind.text.rawValue }
        if entry.prefix != prefix { return entry.prefix < prefix }
        if Int(entry.length) != name.count { return Int(entry.length) < name.count }
        return withKey(entry) { orderBytewise($0, name) < 0 }
    }

    @inline(never)
    private func find(integer: Int, _ first: Int, _ count: Int) -> Int? {
        guard first >= 0, first + count <= entries.count else { return nil }
        let kind: KeyKind = integer < 0 ? .negative : .unsigned
        let prefix = UInt64(integer < 0 ? ~integer : integer)
        // Integers come first in the order of keys.
        var low = first, high = first + count
        while low < high {
            let middle = low + (high - low) / 2, entry = entries.base[middle]
            let isBefore =
                entry.kind == kind ? entry.prefix < prefix : entry.kind.rawValue < kind.rawValue
            if isBefore { low = middle + 1 } else { high = middle }
        }
        guard low < first + count else { return nil }
        let found = entries.base[low]
        return found.kind == kind && found.prefix == prefix ? Int(found.value) : nil
    }
}
