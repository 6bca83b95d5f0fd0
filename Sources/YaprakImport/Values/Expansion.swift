import YaprakCBOR
import YaprakModel

/// What a value may become when its references are followed: a few bytes that refer to each other can mean billions of items.
struct Expansion {
    private var items = 0
    private var bytes = 0

    private static let itemsMax = 4 << 20
    private static var bytesMax: Int { DatabaseLimits().valueBytesMax }
    /// Arrays and maps around an item. A record may have as many.
    static let levelsMax = CBORItem.depthMax

    /// Counts items and bytes that are about to be made.
    mutating func take(items: Int, bytes: Int = 0) throws(ForeignDataError) {
        self.items += items
        self.bytes += bytes
        guard self.items <= Self.itemsMax, self.bytes <= Self.bytesMax else {
            throw ForeignDataError(.overLimit, "the value is larger than a record may be")
        }
    }
}
