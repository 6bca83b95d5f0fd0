public import YaprakCore

/// What happens to the records that refer to a record, when that one is removed.
///
/// The terms are those of SQL's foreign keys and of Core Data.
public struct DeleteRule<Source: Codable & Sendable, SourceMetadata: Codable & Sendable, Key: ReferenceKey>: Sendable {
    let action: TargetRemoval<Source, SourceMetadata>

    /// Nothing: the reference dangles.
    public static var none: Self { Self(action: .none) }
    /// They are removed, too, and what refers to them follows its own rules.
    public static var cascade: Self { Self(action: .cascade) }
    /// The write throws `removalRestricted` if any record still refers to the removed one when all rules have been
    /// followed. So both may be removed in one transaction, in either order.
    public static var restrict: Self { Self(action: .restrict) }
    /// `body` is given each record that refers to the removed one, and that one's key. What it returns is written in place of the
    /// object; with `nil` the record stays as it is. What it throws undoes the transaction.
    public static func notify(
        _ body: @escaping @Sendable (_ source: Record<Source, SourceMetadata>, _ removedKey: String) throws -> Source?
    ) -> Self { Self(action: .notify(body)) }
}

extension DeleteRule where Key: NullableReferenceKey {
    /// The key is taken out of them: set to `nil`, or removed from the list.
    public static var nullify: Self { Self(action: .nullify) }
}

/// What happens to a record when one that refers to it is removed.
public struct SourceDeleteRule<Target: Codable & Sendable, TargetMetadata: Codable & Sendable>: Sendable {
    let action: SourceRemoval<Target, TargetMetadata>

    /// Nothing.
    public static var none: Self { Self(action: .none) }
    /// It is removed, too.
    public static var cascade: Self { Self(action: .cascade) }
    /// It is removed when no record refers to it any more through this relationship: the last was removed, or refers to
    /// another one now. A record that nobody ever referred to stays.
    public static var cascadeWhenLast: Self { Self(action: .cascadeWhenLast) }
    /// The write throws `removalRestricted` if the record that was referred to is still there when all rules have been followed.
    public static var restrict: Self { Self(action: .restrict) }
    /// `body` is given the record that was referred to and the key of the removed one. What it returns is written in place of
    /// the object; with `nil` the record stays as it is. What it throws undoes the transaction.
    public static func notify(
        _ body: @escaping @Sendable (_ target: Record<Target, TargetMetadata>, _ removedKey: String) throws -> Target?
    ) -> Self { Self(action: .notify(body)) }
}

/// A rule without the type of the key.
enum TargetRemoval<Source: Codable & Sendable, SourceMetadata: Codable & Sendable>: Sendable {
    case none, cascade, nullify, restrict
    case notify(@Sendable (Record<Source, SourceMetadata>, String) throws -> Source?)
}

enum SourceRemoval<Target: Codable & Sendable, TargetMetadata: Codable & Sendable>: Sendable {
    case none, cascade, cascadeWhenLast, restrict
    case notify(@Sendable (Record<Target, TargetMetadata>, String) throws -> Target?)
}

/// Which rule a side of a relationship has.
enum RemovalRule {
    case none, cascade, cascadeWhenLast, nullify, restrict, notify
}

extension TargetRemoval {
    var rule: RemovalRule {
        switch self {
        case .none: .none
        case .cascade: .cascade
        case .nullify: .nullify
        case .restrict: .restrict
        case .notify: .notify
        }
    }
}

extension SourceRemoval {
    var rule: RemovalRule {
        switch self {
        case .none: .none
        case .cascade: .cascade
        case .cascadeWhenLast: .cascadeWhenLast
        case .restrict: .restrict
        case .notify: .notify
        }
    }
}
