public import YaprakCBOR

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
    /// - Complexity: O(size of both), in memory, too: the paths of the fields of a container share their steps.
    public static func between(_ before: CBORValue?, _ after: CBORValue?) -> [FieldChange] {
        Array(FieldChanges(from: before, to: after))
    }
}
