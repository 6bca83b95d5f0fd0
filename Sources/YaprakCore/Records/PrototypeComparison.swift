import YaprakCBOR
import YaprakLocks

/// Compares records with what they may have been completed from. Made once for all records of a section.
///
///     var prototypes = PrototypeComparison(info.prototypes)
///     if prototypes.isCompletion(written, of: read) { … }
///
/// - Complexity: O(prototypes), once, and O(size) for each record.
struct PrototypeComparison {
    private var object: IndexedPrototype
    private var metadata: IndexedPrototype

    init(_ prototypes: SectionPrototypes) {
        object = IndexedPrototype(prototypes.object)
        metadata = IndexedPrototype(prototypes.metadata)
    }

    /// Whether `written` is `read` with nothing but keys of the prototypes added.
    mutating func isCompletion(_ written: RawRecord, of read: RawRecord) -> Bool {
        object.isCompletion(written.object, of: read.object)
            && metadata.isCompletion(written.metadata, of: read.metadata)
    }
}

/// A prototype whose values are found by their keys, however many items are compared with it: each of its maps is put into a
/// dictionary once.
private struct IndexedPrototype {
    /// The prototype, or nothing, and those of its parts that were asked for. They have numbers, so that nothing here is as deep
    /// as the prototype.
    private var parts: [CBORValue]
    /// The parts of maps by their keys, and the first items of arrays.
    private var values: [Int: [CBORValue: Int]] = [:]
    private var firstItems: [Int: Int] = [:]

    init(_ item: [UInt8]?) { parts = item.flatMap { try? CBORValue(decoding: $0) }.map { [$0] } ?? [] }

    mutating func isCompletion(_ written: ArraySlice<UInt8>?, of read: ArraySlice<UInt8>?) -> Bool {
        if written == read { return true }
        guard !parts.isEmpty, let written, let read, let new = try? CBORValue(decoding: written),
            let old = try? CBORValue(decoding: read)
        else { return false }
        // A file may be as deep as the format allows, and have a million items at one level.
        return DeepStack.run(if: new.isDeep || old.isDeep) { isCompletion(new, of: old, from: 0) }
    }

    private mutating func isCompletion(_ new: CBORValue, of old: CBORValue, from part: Int?) -> Bool {
        switch (new, old) {
        case (.map(let new), .map(let old)): return isCompletion(new, of: old, from: part)
        case (.array(let new), .array(let old)):
            guard new.count == old.count else { return false }
            let first = firstItem(of: part)
            for index in new.indices where !isCompletion(new[index], of: old[index], from: first) { return false }
            return true
        default: return new == old
        }
    }

    private mutating func isCompletion(
        _ new: [CBORValue.Pair], of old: [CBORValue.Pair], from part: Int?
    ) -> Bool {
        if new.count == old.count, new.indices.allSatisfy({ new[$0].key == old[$0].key }) {
            // Nothing was added here.
            for index in new.indices {
                let inner = value(under: new[index].key, of: part)
                guard isCompletion(new[index].value, of: old[index].value, from: inner) else { return false }
            }
            return true
        }
        // The keys of types are plain. To hash one that is not may take a stack of its own.
        guard new.allSatisfy(\.key.isPlain), old.allSatisfy(\.key.isPlain) else { return false }
        let known = Dictionary(old.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        let written = Set(new.map(\.key))
        guard known.keys.allSatisfy({ written.contains($0) }) else { return false }
        for pair in new {
            let inner = value(under: pair.key, of: part)
            if let before = known[pair.key] {
                guard isCompletion(pair.value, of: before, from: inner) else { return false }
            } else {
                guard let inner, parts[inner] == pair.value else { return false }
            }
        }
        return true
    }

    /// The number of the value under a key of the map with this number.
    private mutating func value(under key: CBORValue, of part: Int?) -> Int? {
        guard let part, case .map(let pairs) = parts[part] else { return nil }
        if let known = values[part] { return known[key] }
        var numbers: [CBORValue: Int] = [:]
        for pair in pairs where numbers[pair.key] == nil {
            numbers[pair.key] = parts.count
            parts.append(pair.value)
        }
        values[part] = numbers
        return numbers[key]
    }

    /// The number of the first item of the array with this number.
    private mutating func firstItem(of part: Int?) -> Int? {
        guard let part, case .array(let items) = parts[part], let first = items.first else { return nil }
        if let known = firstItems[part] { return known }
        parts.append(first)
        firstItems[part] = parts.count - 1
        return parts.count - 1
    }
}

extension CBORValue {
    /// Whether it holds no other.
    fileprivate var isPlain: Bool {
        switch self {
        case .array, .map, .tag: false
        default: true
        }
    }
}
