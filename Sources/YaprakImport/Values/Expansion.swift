import YaprakCBOR
import YaprakModel

/// What a value may become when its references are followed: a few bytes that refer to each other can mean billions of items.
struct Expansion {
    private var items = 0
    private var bytes = 0
    private let itemsMax: Int
    private let bytesMax: Int

    /// Arrays and maps around an item. A record may have as many.
    static let levelsMax = CBORItem.depthMax

    /// - Parameters:
    ///   - byteCount: the bytes that are read. A value that holds each object once has a reference of a byte or more for each
    ///     item: however many there are, they are no more than that.
    ///   - bytesMax: the bytes that texts and data may have together.
    init(byteCount: Int, bytesMax: Int) {
        itemsMax = max(2 << 20, byteCount)
        self.bytesMax = bytesMax
    }

    /// Counts items and bytes that are about to be made.
    mutating func take(items: Int, bytes: Int = 0) throws(ForeignDataError) {
        self.items += items
        self.bytes += bytes
        guard self.items <= itemsMax else {
            throw ForeignDataError(.overLimit, "the value holds objects again and again, more than \(itemsMax) in all")
        }
        guard self.bytes <= bytesMax else {
            throw ForeignDataError(.overLimit, "the value is larger than a record may be")
        }
    }
}
