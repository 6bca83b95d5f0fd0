import Synchronization
package import YaprakTrees

/// The state of a full-text index in one snapshot. Opaque; read it through ``FullTextReader``.
///
///     pages      term ─▶ the documents it stands in, and where          blocks of bytes, about 512 each
///     keys       key ─▶ document number
///     blocks     document number ─▶ key
///     lengths    document number ─▶ number of terms
public struct FullTextRoot: Sendable {
    package var pages = TreeRoot()
    package var keys = TreeRoot()
    package var blocks = TreeRoot()
    package var lengths = TreeRoot()
    /// The number of documents.
    package var documentCount = 0
    /// The number of terms in all documents, each place counted.
    package var termCount = 0
    /// Numbers that are or were given to documents.
    var capacity = 0
    /// The free number that is given next, plus 1; 0 if there is none.
    var firstFree: UInt32 = 0
    /// Which root it is: copies have the same.
    package var identity = FullTextRoot.nextIdentity()

    package var trees: [TreeRoot] { [pages, keys, blocks, lengths] }

    private static let identities = Atomic<UInt64>(0)
    static func nextIdentity() -> UInt64 { identities.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The greatest number of documents.
    static let documentsMax = 1 << 30
}

extension FullTextRoot {
    /// The number of a record, if it is indexed.
    func number(ofKey key: String) -> UInt32? {
        keys.lookup(key).map { unsafeDowncast($0, to: DocumentRow.self).number }
    }

    /// The row of a document that is there.
    @inline(__always)
    func row(of number: UInt32) -> DocumentRow {
        blocks.reference(at: Int(number) / DocumentBlock.count)._withUnsafeGuaranteedRef {
            unsafeDowncast($0, to: DocumentBlock.self).rows[Int(number) % DocumentBlock.count].unsafelyUnwrapped
        }
    }

    /// The length of a document that is there.
    @inline(__always)
    func length(of number: UInt32) -> UInt32 {
        lengths.reference(at: Int(number) / LengthPage.count)._withUnsafeGuaranteedRef {
            unsafeDowncast($0, to: LengthPage.self).values[Int(number) % LengthPage.count]
        }
    }
}
