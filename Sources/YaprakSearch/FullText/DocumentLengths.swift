internal import CPrefetch
import YaprakTrees

/// Reads the lengths of documents in one root. Used by one thread, within ``with(_:_:)`` and while the snapshot is alive.
struct DocumentLengths {
    private let root: TreeRoot
    /// The values of pages that were asked for before.
    private let pages: UnsafeMutablePointer<UnsafeMutablePointer<UInt32>?>

    /// Lends the lengths of a root that has documents to `body`. Nothing may ask for one later.
    @inline(__always)
    static func with(_ root: FullTextRoot, _ body: (DocumentLengths) -> Void) {
        let count = root.lengths.count
        withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<UInt32>?.self, capacity: max(1, count)) { pages in
            pages.initialize(repeating: nil)
            body(DocumentLengths(root: root.lengths, pages: pages.baseAddress.unsafelyUnwrapped))
        }
    }

    @inline(__always)
    private func values(_ page: Int) -> UnsafeMutablePointer<UInt32> { pages[page] ?? find(page) }

    @inline(never)
    private func find(_ page: Int) -> UnsafeMutablePointer<UInt32> {
        let values = root.reference(at: page)._withUnsafeGuaranteedRef {
            unsafeDowncast($0, to: LengthPage.self).values
        }
        pages[page] = values
        return values
    }

    /// The length of a document, or what stands under its number if that is free.
    @inline(__always)
    subscript(document: UInt32) -> UInt32 {
        values(Int(document) / LengthPage.count)[Int(document) % LengthPage.count]
    }

    /// Fetches the lengths of documents that are about to be asked for, unless they stand so close that most share a cache
    /// line with the one before.
    func fetch(_ documents: UnsafeMutablePointer<UInt32>, _ count: Int) {
        guard count > 1, Int(documents[count - 1] &- documents[0]) > 8 &* count else { return }
        for index in 0..<count {
            let document = Int(documents[index])
            cprefetch(values(document / LengthPage.count) + document % LengthPage.count)
        }
    }
}
