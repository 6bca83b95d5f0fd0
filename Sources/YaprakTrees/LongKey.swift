/// The key of a packed row that is longer than the largest room: memory of its own. The row frees it.
@usableFromInline
package struct LongKey: BitwiseCopyable {
    @usableFromInline package let bytes: UnsafeBufferPointer<UInt8>

    package init(copying key: UnsafeBufferPointer<UInt8>) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: key.count)
        _ = copy.initialize(from: key)
        bytes = UnsafeBufferPointer(copy)
    }

    package func free() { bytes.deallocate() }

    /// What a row with such a key says its length is.
    package static let count = Int(KeyPlace.long)
}
