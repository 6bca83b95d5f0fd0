internal import CPrefetch
import YaprakTrees

/// Some neighbouring runs of postings, in one block of bytes: a row of the tree of pages.
///
///     page = run │ run │ run …                       about 512 bytes
///     run  = [shared][rest][rest of the term][count][first document]
///            count 1:     [occurrences][positions]
///            count 2…128: [last − first][bytes][bytes] [documents and occurrences] [positions]
///
/// A run has up to 128 documents of one term. Of the term, all bytes that it shares with the run before are left out.
/// Documents are differences, doubled, plus 1 if the number of occurrences follows, which is else 1. Positions are
/// differences within a document; position × columns + column.
///
/// The page's key is not greater than the first run's term, NUL and document, and greater than those of the page before.
/// The first page's key is empty, so that every term has a page.
final class PostingPage: KeyedRow, @unchecked Sendable {
    // Written once; that is the whole of the @unchecked.
    let bytes: UnsafePointer<UInt8>
    let count: Int

    init(key: String, bytes source: UnsafePointer<UInt8>, count: Int) {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, count))
        bytes.update(from: source, count: count)
        self.bytes = UnsafePointer(bytes)
        self.count = count
        super.init(key: key)
    }

    deinit { bytes.deallocate() }

    /// Fetches the bytes of a page that is about to be walked, which are seldom in a cache; of a long run the first ones.
    @inline(__always)
    func fetchBytes() {
        let end = min(count, Self.bytesMax)
        for at in stride(from: 0, to: end, by: 64) { cprefetch(bytes + at) }
        if end > 0 { cprefetch(bytes + (end - 1)) }
    }

    /// Bytes that a page has when many are made.
    static let bytesTarget = 512
    /// Beyond so many it is split, unless it is a single run.
    static let bytesMax = 768
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

    static func string(_ term: UnsafePointer<UInt8>, _ count: Int, _ document: UInt32) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytesMax) { buffer in
            let length = write(term, count, document, to: buffer.baseAddress.unsafelyUnwrapped)
            return String(decoding: UnsafeBufferPointer(rebasing: buffer.prefix(length)), as: UTF8.self)
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
