import YaprakCBOR
import YaprakModel

/// What a value may become when its references are followed: a few bytes that refer to each other can mean billions of items.
struct Expansion {
    private var items = 0
    private var bytes = 0
    private let itemsMax: Int
    private let bytesMax: Int

    /// The bytes, and eight for each item, as a number has.
    var meantBytes: Int { bytes + 8 * items }

    /// Arrays and maps around an item. A record may have as many.
    static let levelsMax = CBORItem.depthMax

    /// Items of a value that is made: each takes some 60 bytes while it is.
    static let valueItemsMax = 16 << 20

    /// - Parameters:
    ///   - byteCount: the bytes that are read. A value that holds each object once has a reference of a byte or more for each
    ///     item: however many there are, they are no more than that.
    ///   - itemsMax: the most items, however many bytes there are.
    ///   - bytesMax: the bytes that texts and data, and the elements of what is made, may have together.
    init(byteCount: Int, itemsMax: Int, bytesMax: Int) {
        self.itemsMax = min(max(2 << 20, byteCount), itemsMax)
        self.bytesMax = bytesMax
    }

    /// Counts items and bytes that are about to be made.
    mutating func take(items: Int, bytes: Int = 0) throws(ForeignDataError) {
        self.items += items
        self.bytes += bytes
        guard self.items <= itemsMax else { throw Self.tooManyItems(itemsMax) }
        guard self.bytes <= bytesMax else { throw Self.tooLarge }
    }

    static let tooLarge = ForeignDataError(.overLimit, "the value is larger than a record may be")

    static func tooManyItems(_ most: Int) -> ForeignDataError {
        ForeignDataError(
            .overLimit, "the value has more than \(most) objects in all, or the same ones again and again")
    }
}
