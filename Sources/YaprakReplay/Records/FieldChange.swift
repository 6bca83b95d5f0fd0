public import YaprakCBOR
import YaprakLocks

/// One field of a value that differs after a change, without the program's types.
///
///     for change in FieldChange.between(before.object, after.object) {
///         print(change.path, change.before, change.after)         // address.city "Bursa" "İzmir"
///     }
///
/// Maps are compared key by key and arrays place by place, all the way down; anything else is a field as a whole.
public struct FieldChange: Sendable, Hashable {
    /// Where the field is.
    public let field: FieldPath
    /// The value before; `nil` if the field was not there.
    public let before: CBORValue?
    /// The value after; `nil` if the field is not there any more.
    public let after: CBORValue?

    /// Where the field is, as text: `stops[2].name`. Empty for the whole value.
    public var path: String { field.description }

    /// A change of a field.
    public init(_ field: FieldPath, before: CBORValue?, after: CBORValue?) {
        self.field = field
        self.before = before
        self.after = after
    }

    /// The fields in which two values differ, in the order of the keys of the first, then of the second.
    ///
    /// - Complexity: O(size of both).
    public static func between(_ before: CBORValue?, _ after: CBORValue?) -> [FieldChange] {
        var changes: [FieldChange] = []
        // It goes on where both have containers.
        let isDeep = (before?.isDeep ?? false) && (after?.isDeep ?? false)
        DeepStack.run(if: isDeep) { compare(before, after, FieldPath(), &changes) }
        return changes
    }

    private static func compare(
        _ before: CBORValue?, _ after: CBORValue?, _ path: FieldPath, _ changes: inout [FieldChange]
    ) {
        if before == after { return }
        switch (before, after) {
        case (.map(let old), .map(let new)):
            let known = Dictionary(old.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
            let wanted = Dictionary(new.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
            for pair in old {
                compare(pair.value, wanted[pair.key], path.appending(.key(pair.key)), &changes)
            }
            for pair in new where known[pair.key] == nil {
                compare(nil, pair.value, path.appending(.key(pair.key)), &changes)
            }
        case (.array(let old), .array(let new)):
            for place in 0..<max(old.count, new.count) {
                // Not `nil` alone, which is also how a value writes null.
                compare(
                    place < old.count ? old[place] : Optional.none, place < new.count ? new[place] : Optional.none,
                    path.appending(.place(place)), &changes)
            }
        default: changes.append(FieldChange(path, before: before, after: after))
        }
    }
}
