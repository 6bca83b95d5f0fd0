import Synchronization
import YaprakCBOR

/// Whether a value nests deeper than a file takes, learned from values of its type so that it costs nothing for most.
///
///     if bound.isExceeded(by: record.object) { throw … }
///
/// With a file each value is encoded, and the encoder counts its levels. In memory nothing is encoded, and the limit is the
/// same: a value of a type that can hold others without end is encoded to be counted. A type whose stored properties, all
/// the way down, are plain values, texts and collections of them can't; the first values that are written show it. A type
/// whose own `encode(to:)` nests deeper than its stored properties is not recognized: where such a value exceeds the limit,
/// the error comes when it is encoded, by a file, a backup or `checkingCoding`.
final class NestingBound<Value: Encodable>: Sendable {
    /// Values that were looked at, or -1 once the type is known to be bounded.
    private let looks = Atomic(TypeNesting.isSurelyLeaf(Value.self) ? -1 : 0)

    /// Whether values of the type are known to be bounded: from then on none is looked at.
    var isKnown: Bool { looks.load(ordering: .relaxed) < 0 }

    /// Whether `value` nests deeper than ``StoredValue/depthMax``.
    /// - Complexity: O(1) for a type that is bounded, else that of encoding.
    func isExceeded(by value: Value) -> Bool { isDeeper(value, than: StoredValue.depthMax) }

    /// Whether containers of `value` nest deeper than `levels`. What is known to be bounded counts as no deeper. Costs as
    /// ``isExceeded(by:)``.
    func isDeeper(_ value: Value, than levels: Int) -> Bool {
        isOpen(for: value) && sharedEncoder.isDeeper(value, than: levels)
    }

    private func isOpen(for value: Value) -> Bool {
        let count = looks.load(ordering: .relaxed)
        if count < 0 { return false }
        // An optional that is nil and an array that is empty show nothing of their type, so another value may show more.
        // The first, the second, the fourth … are looked at: looking costs more than encoding.
        looks.store(count + 1, ordering: .relaxed)
        guard (count + 1).nonzeroBitCount == 1, TypeNesting.isBounded(value) else { return true }
        looks.store(-1, ordering: .relaxed)
        return false
    }
}

/// What the stored properties of a value say about all values of its type.
enum TypeNesting {
    /// Whether no value of the type can hold others of unlimited depth. False also where this value does not show it: where
    /// an array is empty or an optional nil, and for classes, existentials and enumerations with references in them.
    static func isBounded<Value>(_ value: Value) -> Bool { isBounded(value, in: []) }

    /// - Parameter around: the types that `value` is a part of.
    fileprivate static func isBounded<Value>(_ value: Value, in around: [ObjectIdentifier]) -> Bool {
        if isLeaf(Value.self) { return true }
        // A type within itself. (And one whose parts are this deep is as good as that.)
        let type = ObjectIdentifier(Value.self)
        if around.contains(type) || around.count > 32 { return false }
        let around = around + [type]
        if let holder = value as? any HoldsOthers { return holder.areOthersBounded(in: around) }
        // The types of an existential's values are not known from one of them; a mirror that a type made shows what it likes.
        guard type == ObjectIdentifier(Swift.type(of: value as Any)), !(value is any CustomReflectable) else {
            return false
        }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .struct || mirror.displayStyle == .tuple, !mirror.children.isEmpty else {
            return false
        }
        return mirror.children.allSatisfy { child in
            func look<Property>(_ property: Property) -> Bool { isBounded(property, in: around) }
            return _openExistential(child.value, do: look)
        }
    }

    /// A type without references, a text, or one of Foundation's that can't hold another's values.
    fileprivate static func isLeaf<Value>(_ type: Value.Type) -> Bool {
        isSurelyLeaf(type) || isOfFoundation(String(reflecting: type))
    }

    /// The same as far as it is known without the name of the type: of most metadata before there is any.
    fileprivate static func isSurelyLeaf<Value>(_ type: Value.Type) -> Bool {
        _isPOD(type) || type == String.self || type == Substring.self || type == Character.self
    }

    /// Whether a type with this name is one of Foundation's, and not generic. A program's own module may be called
    /// `FoundationExtras`.
    static func isOfFoundation(_ name: String) -> Bool {
        let modules = ["Foundation.", "FoundationEssentials.", "FoundationInternationalization."]
        return !name.contains("<") && modules.contains { name.hasPrefix($0) }
    }
}

/// An optional or a collection of the standard library.
private protocol HoldsOthers {
    func areOthersBounded(in around: [ObjectIdentifier]) -> Bool
}

extension HoldsOthers {
    /// - Parameter other: one of them, if there is any.
    fileprivate func isBounded<Other>(_ other: Other?, in around: [ObjectIdentifier]) -> Bool {
        if TypeNesting.isLeaf(Other.self) { return true }
        guard let other else { return false }
        return TypeNesting.isBounded(other, in: around)
    }
}

extension Optional: HoldsOthers {
    fileprivate func areOthersBounded(in around: [ObjectIdentifier]) -> Bool { isBounded(self, in: around) }
}

extension Array: HoldsOthers {
    fileprivate func areOthersBounded(in around: [ObjectIdentifier]) -> Bool { isBounded(first, in: around) }
}

extension ContiguousArray: HoldsOthers {
    fileprivate func areOthersBounded(in around: [ObjectIdentifier]) -> Bool { isBounded(first, in: around) }
}

extension ArraySlice: HoldsOthers {
    fileprivate func areOthersBounded(in around: [ObjectIdentifier]) -> Bool { isBounded(first, in: around) }
}

extension Set: HoldsOthers {
    fileprivate func areOthersBounded(in around: [ObjectIdentifier]) -> Bool { isBounded(first, in: around) }
}

extension Dictionary: HoldsOthers {
    fileprivate func areOthersBounded(in around: [ObjectIdentifier]) -> Bool {
        isBounded(first?.key, in: around) && isBounded(first?.value, in: around)
    }
}
