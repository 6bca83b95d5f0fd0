import YaprakCBOR
import YaprakLocks
import YaprakModel

/// Follows the references of a property list from the top, and makes values of its objects.
///
/// Property lists and keyed archives differ in what an object means, which `convert` says; the bounds are the same for both.
struct ReferenceWalk {
    let list: BinaryPropertyList
    private var expansion: Expansion
    /// The objects that are around the one at hand.
    private var around: Set<Int> = []
    private var isOnDeepStack = false
    /// It was ended because it needs a ``DeepStack``.
    private var isCutShort = false
    /// The deepest level that was met: how many arrays and dictionaries are around the innermost object.
    private(set) var deepest = 0
    /// The bytes of what was met, in each place.
    var meantBytes: Int { expansion.meantBytes }
    /// The names of the classes of a keyed archive that were met, by their place in it.
    var classNames: [UInt64: [String]] = [:]

    /// - Parameter bytesMax: the bytes of texts, data and elements together; by default as many as any record may have.
    init(_ list: BinaryPropertyList, bytesMax: Int = DatabaseLimits.storedValueBytesMax) {
        self.list = list
        expansion = Expansion(byteCount: list.byteCount, itemsMax: list.itemsMax, bytesMax: bytesMax)
    }

    /// The value of an object.
    ///
    /// - Parameter convert: makes the value of an object that this walk read; it goes on with ``value(_:_:_:)``, one level
    ///   deeper.
    mutating func value(
        _ number: Int, _ level: Int,
        _ convert: (inout ReferenceWalk, BinaryPropertyList.Object, Int) throws(ForeignDataError) -> CBORValue
    ) throws(ForeignDataError) -> CBORValue {
        if around.isEmpty, !isOnDeepStack { return try valueOfTop(number, level, convert) }
        if level == DeepStack.levelsBefore, !isOnDeepStack {
            isCutShort = true
            throw ForeignDataError(.overLimit, "the value is nested deep")
        }
        return try step(number, level, convert)
    }

    /// Begins once more on a ``DeepStack`` if there are many levels.
    private mutating func valueOfTop(
        _ number: Int, _ level: Int,
        _ convert: (inout ReferenceWalk, BinaryPropertyList.Object, Int) throws(ForeignDataError) -> CBORValue
    ) throws(ForeignDataError) -> CBORValue {
        var trial = self
        do throws(ForeignDataError) {
            let value = try trial.step(number, level, convert)
            self = trial
            return value
        } catch {
            guard trial.isCutShort else { throw error }
        }
        isOnDeepStack = true
        defer { isOnDeepStack = false }
        return try DeepStack.run { () throws(ForeignDataError) in try step(number, level, convert) }
    }

    private mutating func step(
        _ number: Int, _ level: Int,
        _ convert: (inout ReferenceWalk, BinaryPropertyList.Object, Int) throws(ForeignDataError) -> CBORValue
    ) throws(ForeignDataError) -> CBORValue {
        guard level <= Expansion.levelsMax else {
            throw ForeignDataError(.overLimit, "the value is nested deeper than a record may be")
        }
        guard around.insert(number).inserted else {
            throw ForeignDataError(.cyclic, "the value holds itself")
        }
        defer { around.remove(number) }
        deepest = max(deepest, level)
        return try convert(&self, try object(number), level)
    }

    /// An object without what is in it.
    ///
    /// What it refers to is counted here, once for each reference, and not again where it is read itself. So nothing can be read
    /// more often than was counted: an archive has one reference within another, and no more.
    mutating func object(_ number: Int) throws(ForeignDataError) -> BinaryPropertyList.Object {
        let object = try list.object(number)
        switch object {
        case .data(let bytes): try expansion.take(items: 0, bytes: bytes.count)
        case .text(let text): try expansion.take(items: 0, bytes: text.utf8.count)
        case .array(let items): try expansion.take(items: items.count)
        case .dictionary(let keys, _): try expansion.take(items: 2 * keys.count)
        default: break
        }
        return object
    }

    /// Counts the bytes of a text that is made once more, or of elements that are about to be made: each has one at least.
    mutating func take(bytes: Int) throws(ForeignDataError) { try expansion.take(items: 0, bytes: bytes) }
}

extension CBORValue {
    /// The value of an object that refers to no other; `nil` for one that does.
    init?(leaf object: BinaryPropertyList.Object) {
        switch object {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(0, let low): self = .unsigned(low)
        case .integer(-1, let low): self = .negative(~low)
        case .integer(let high, let low): self = Self.big(high, low)
        case .real(let value), .date(let value): self = .float(value)
        case .data(let bytes): self = .bytes(Array(bytes))
        case .text(let text): self = .text(text)
        case .uid, .array, .dictionary: return nil
        }
    }

    /// An integer of two words.
    private static func big(_ high: Int64, _ low: UInt64) -> CBORValue {
        let number = UInt128(UInt64(bitPattern: high < 0 ? ~high : high)) << 64 | UInt128(high < 0 ? ~low : low)
        return high < 0 ? .integer(complement: number) : .integer(magnitude: number)
    }
}
