import Foundation

/// Keys on input: their normal form.
///
/// A key is the NFC form of the string that was given, as UTF-8. It is made here, once; tree, log, digest and limits see
/// only the bytes and compare them as memory does. For NFC strings that is Swift's own order and equality of strings,
/// and two strings that Swift calls equal are one key, also where Foundation has another form than the standard library
/// (``OwnComposition``). Decision 3.
@usableFromInline
package enum RecordKey {
    /// Returns the form of `string` that the engine keeps: NFC, native, contiguous.
    ///
    /// ASCII strings, nearly all keys, are their own form and come back without a copy.
    /// - Complexity: O(length), whatever the string: it may come from a network or a damaged file.
    @usableFromInline
    package static func normalized(_ string: String) -> String {
        if isASCII(string) { return string }
        return precomposed(string)
    }

    @inline(__always)
    private static func isASCII(_ string: String) -> Bool {
        string.utf8.withContiguousStorageIfAvailable { isASCII($0) } ?? false
    }

    /// Whether all bytes are ASCII, eight at a time.
    @inline(__always)
    static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let count = bytes.count
        guard let base = UnsafeRawPointer(bytes.baseAddress) else { return true }
        var bits: UInt64 = 0
        var i = 0
        while i &+ 8 <= count {
            bits |= base.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            i &+= 8
        }
        while i < count {
            bits |= UInt64(base.load(fromByteOffset: i, as: UInt8.self))
            i &+= 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    @inline(never)
    private static func precomposed(_ string: String) -> String {
        var form =
            OwnComposition.isNeeded(for: string)
            ? composed(string)
            : string.utf8.count <= pieceBytes ? string.precomposed() : precomposedInPieces(string)
        form.makeContiguousUTF8()
        return form
    }

    /// What is longer is put together from pieces: Foundation's time grows with the square of the length.
    private static let pieceBytes = 1024

    /// The form of a long string. Nothing is composed across the boundary of two characters, so pieces of whole ones can be
    /// taken one by one.
    ///
    /// - Complexity: O(length), whatever the string.
    private static func precomposedInPieces(_ string: String) -> String {
        var form = ""
        var piece = ""
        form.reserveCapacity(string.utf8.count)
        for character in string {
            piece.append(character)
            guard piece.utf8.count >= pieceBytes else { continue }
            form += piece.precomposed()
            piece = ""
        }
        return form + piece.precomposed()
    }

    /// The form of a string with scalars that Foundation composes otherwise, or does not know. It takes newer marks for letters,
    /// and neither moves nor composes anything across them; so it decomposes, and the rest is done here.
    ///
    /// - Complexity: O(length), whatever the string.
    private static func composed(_ string: String) -> String {
        var parts = ""
        var piece = String.UnicodeScalarView()
        func endPiece() {
            parts += String(piece).decomposedStringWithCanonicalMapping
            piece.removeAll()
        }
        var count = 0
        for scalar in OwnComposition.decomposed(string).unicodeScalars {
            piece.append(scalar)
            count += 1
            if count % (pieceBytes / 4) == 0 { endPiece() }
        }
        endPiece()
        // Marks of two pieces too.
        return OwnComposition.composed(parts.sortingMarks())
    }
}

extension String {
    /// The NFC form, made by Foundation.
    ///
    /// Marks on one letter are sorted by insertion there. More of them than any language has, which somebody may
    /// send or write into a file, come sorted already.
    fileprivate func precomposed() -> String {
        (hasLongRunOfMarks ? sortingMarks() : self).precomposedStringWithCanonicalMapping
    }

    /// The longest run of marks that text has (Unicode's Stream-Safe Text Format, UAX #15).
    private static let markRunMax = 30

    private var hasLongRunOfMarks: Bool {
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
            if run > Self.markRunMax { return true }
        }
        return false
    }

    /// The same with each run of marks in the order of their classes, which is what the normal form begins with.
    fileprivate func sortingMarks() -> String {
        var sorted = String.UnicodeScalarView()
        var run: [Unicode.Scalar] = []
        func endRun() {
            // Marks of one class keep their order; Swift's sort is stable, but does not promise it.
            let order = run.indices.sorted { a, b in
                let (x, y) = (run[a].properties.canonicalCombiningClass, run[b].properties.canonicalCombiningClass)
                return x == y ? a < b : x < y
            }
            sorted.append(contentsOf: order.map { run[$0] })
            run.removeAll()
        }
        for scalar in unicodeScalars {
            if scalar.properties.canonicalCombiningClass != .notReordered {
                run.append(scalar)
                continue
            }
            endRun()
            sorted.append(scalar)
        }
        endRun()
        return String(sorted)
    }
}
