/// The items of an array in JSON, each as its bytes, without reading the whole array.
///
///     let items = try JSONItemReader(ByteSource("cities.json"))
///     while let item = try items.next() { print(items.number, item.count) }
///
/// Finds where items end and nothing else: what is in them is up to the parser that gets them. Memory is bounded by the longest
/// item.
package final class JSONItemReader {
    private let source: ByteSource
    private var bytes: [UInt8] = []
    private var position = 0
    private var isOpened = false
    private var isClosed = false
    /// Why nothing could be read behind the last whole item.
    private var failure: (any Error)?

    /// The number of the item that was read last, counted from 1.
    package private(set) var number = 0

    package init(_ source: ByteSource) { self.source = source }

    package var progress: (done: Int, total: Int?) { source.progress }

    /// The next item; `nil` behind the last.
    /// - Throws: `Errno`; ``InputError`` where there is no array, or none that is closed. What is wrong behind an item is
    ///   thrown by the next call, so that the item is not lost.
    package func next() throws -> ArraySlice<UInt8>? {
        if isClosed { return nil }
        if !isOpened {
            guard try skipSpace() == UInt8(ascii: "[") else { throw InputError("this is not an array of JSON") }
            position += 1
            isOpened = true
            if try skipSpace() == UInt8(ascii: "]") { return try close() }
        } else {
            switch try skipSpace() {
            case UInt8(ascii: ",")?: position += 1
            case UInt8(ascii: "]")?: return try close()
            case nil: throw unclosed
            default: throw InputError("a comma is missing behind item \(number)")
            }
            if try skipSpace() == UInt8(ascii: "]") { throw InputError("item \(number + 1) is missing behind a comma") }
        }
        guard try skipSpace() != nil else { throw unclosed }
        let item = try item()
        number += 1
        return item
    }

    private var unclosed: InputError { InputError("the array ends too early, behind item \(number)") }

    private func close() throws -> ArraySlice<UInt8>? {
        position += 1
        isClosed = true
        guard try skipSpace() == nil else { throw InputError("something follows the array") }
        return nil
    }

    /// The bytes to the end of the item: where a comma or a bracket is that belongs to the array.
    private func item() throws -> ArraySlice<UInt8> {
        var end = position, depth = 0, isText = false, isEscaped = false
        // The last one that is no space, outside of texts: their quotes are.
        var last: UInt8 = 0
        while true {
            while end < bytes.count {
                let byte = bytes[end]
                if isText {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == UInt8(ascii: "\\") {
                        isEscaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        isText = false
                    }
                } else {
                    if byte > 0x20 { last = byte }
                    switch byte {
                    case UInt8(ascii: "\""): isText = true
                    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                    case UInt8(ascii: "}"), UInt8(ascii: "]"):
                        if depth == 0 { return take(end) }
                        depth -= 1
                    case UInt8(ascii: ",") where depth == 0: return take(end)
                    default: break
                    }
                }
                end += 1
            }
            guard bytes.count - position <= LineReader.lineBytesMax else {
                throw InputError("item \(number + 1) does not end")
            }
            let read = end - position
            // A file that was cut off behind a whole item, or can't be read on there, has it.
            let isWhole = depth == 0 && !isText && Self.endsByItself(last)
            do {
                guard try fill() else {
                    guard isWhole else { throw unclosed }
                    return take(bytes.count)
                }
            } catch  where isWhole {
                failure = error
                return take(bytes.count)
            }
            end = position + read
        }
    }

    /// Whether an item with this last byte goes no further: what a number or a word would have become, nobody knows.
    private static func endsByItself(_ last: UInt8) -> Bool {
        [UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\"")].contains(last)
    }

    private func take(_ end: Int) -> ArraySlice<UInt8> {
        defer { position = end }
        return bytes[position..<end]
    }

    /// The first byte that is no space; `nil` at the end.
    private func skipSpace() throws -> UInt8? {
        while true {
            while position < bytes.count {
                switch bytes[position] {
                case 0x20, 0x09, 0x0a, 0x0d: position += 1
                case let byte: return byte
                }
            }
            guard try fill() else { return nil }
        }
    }

    private func fill() throws -> Bool {
        bytes.removeSubrange(..<position)
        position = 0
        if let failure { throw failure }
        guard let part = try source.next() else { return false }
        bytes.append(contentsOf: part)
        return true
    }
}
