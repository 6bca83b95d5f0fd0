internal import CPrefetch
import YaprakTrees

/// Some neighbouring runs of postings, in one block of bytes: a row of the tree of pages.
///
///     page = run │ run │ run …                       about 512 bytes
///     run  = [shared][rest][rest of the term][count][first document]
///            count 1:     [occurrences][positions]
///            count 2…128: [last − first][bytes][bytes] [documents and occurrences] [positions]
///
/// A run has up to 128 documents of one term, and ends behind 16 KiB: it is longer only by what its last document has, so a page
/// may be as long as the positions of one term in one text. Of the term, all bytes that it shares with the run before are left
/// out. Documents are differences, doubled, plus 1 if the number of occurrences follows, which is else 1. Positions are
/// differences within a document; position × columns + column.
///
/// The page's key is not greater than the first run's term, NUL and document, and greater than those of the page before: the
/// beginning of the former that suffices (prefix B-tree: Bayer and Unterauer, 1977). The first page's key is empty, so that
/// every term has a page.
///
/// Its bytes are in the object itself, behind the fields: see ``PageRoom``, which makes pages.
class PostingPage: KeyedRow, @unchecked Sendable {
    // Written once, before the page is shared, as the room behind it; that is the whole of the @unchecked.
    final let count: Int

    /// Makes a page with a copy of some bytes, of the class that has room for so many.
    static func make(_ key: Key, bytes: UnsafePointer<UInt8>, count: Int) -> PostingPage {
        let page = PageRoom.makePage(key, count: count)
        UnsafeMutablePointer(mutating: page.bytes).update(from: bytes, count: count)
        return page
    }

    enum Key {
        case key(String)
        /// That of a page whose place it takes.
        case same(PostingPage)
    }

    /// For classes with room behind the fields.
    init(_ key: Key, count: Int) {
        self.count = count
        switch key {
        case .key(let key): super.init(key: key)
        case .same(let page): super.init(withKeyOf: page)
        }
    }

    /// Valid as long as the page is alive.
    @inline(__always)
    final var bytes: UnsafePointer<UInt8> {
        let room = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) + PageRoom.offset
        return count <= PageRoom.bytesMax
            ? room.assumingMemoryBound(to: UInt8.self) : room.load(as: UnsafePointer<UInt8>.self)
    }

    /// Fetches the bytes of a page that is about to be walked, which are seldom in a cache; of a long run the first ones.
    @inline(__always)
    final func fetchBytes() {
        let end = min(count, Self.bytesMax)
        for at in stride(from: 0, to: end, by: 64) { cprefetch(bytes + at) }
        if end > 0 { cprefetch(bytes + (end - 1)) }
    }

    /// Bytes that a page has when many are made.
    static let bytesTarget = 512
    /// Beyond so many it is split, unless it is a single run.
    static let bytesMax = 768
    /// A run with more gets no further document: a run is copied as a whole where one of its postings changes.
    static let runBytesMax = 16 << 10
    /// With fewer it is joined to the next.
    static let bytesMin = 128
}

/// The key of a page: a term, NUL and a document in five digits of seven bits, which ascends as they do and is valid UTF-8.
struct PostingKey {
    static let bytesMax = WordScanner.termBytesMax + 6

    /// Writes the key and returns its length.
    @inline(__always)
    static func write(
        _ term: UnsafePointer<UInt8>, _ count: Int, _ document: UInt32, to target: UnsafeMutablePointer<UInt8>
    ) -> Int {
        target.update(from: term, count: count)
        target[count] = 0
        BlockKey.writeDigits(document, 5, to: target + count + 1)
        return count &+ 6
    }

    /// The key of a page that begins with a term and document: the shortest beginning of their key that is greater than the key
    /// of those that the page before ends with.
    ///
    /// A term is cut between characters, so that the key is valid UTF-8.
    static func string(
        _ term: UnsafeBufferPointer<UInt8>, _ document: UInt32,
        behind last: UnsafeBufferPointer<UInt8>, _ lastDocument: UInt32
    ) -> String {
        let (start, lastStart) = (term.baseAddress.unsafelyUnwrapped, last.baseAddress.unsafelyUnwrapped)
        let shared = commonPrefix(start, term.count, lastStart, last.count)
        assert(shared < term.count || shared == last.count, "pages have terms in their order")
        guard shared == term.count else {
            // Terms have no NUL: this byte is greater than what the other has here.
            var end = shared + 1
            while end < term.count, term[end] & 0xC0 == 0x80 { end += 1 }
            return String(decoding: term[..<end], as: UTF8.self)
        }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytesMax) { buffer in
            let length = write(start, term.count, document, to: buffer.baseAddress.unsafelyUnwrapped)
            // The highest of the seven bits in which they differ.
            let digit = (31 - max(document ^ lastDocument, 1).leadingZeroBitCount) / 7
            return String(decoding: UnsafeBufferPointer(rebasing: buffer[..<(length - digit)]), as: UTF8.self)
        }
    }
}

/// Numbers as keys of rows.
enum BlockKey {
    /// The digits of a number to the base 128, the high ones first.
    @inline(__always)
    static func writeDigits(_ number: UInt32, _ digits: Int, to target: UnsafeMutablePointer<UInt8>) {
        for digit in 0..<digits {
            let shift = UInt64(7 * (digits &- 1 &- digit))
            target[digit] = UInt8(truncatingIfNeeded: UInt64(number) >> shift & 0x7F)
        }
    }

    static func string(_ number: Int) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4) { buffer in
            writeDigits(UInt32(number), 4, to: buffer.baseAddress.unsafelyUnwrapped)
            return String(decoding: UnsafeBufferPointer(buffer), as: UTF8.self)
        }
    }
}
