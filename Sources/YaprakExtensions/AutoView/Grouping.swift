public import YaprakCore
import YaprakTrees

/// Says which group of a view a record belongs to: a name, or `nil` to leave it out.
///
///     .byObject { $0.genre }                              // runs when the object changes
///     .byKey { String($0.prefix(1)) }                     // runs once for each record
///     .byMetadata { $0?.isDraft == true ? nil : "sent" }
///     .byRow { row in row.object.isRead ? row.metadata?.folder : "new" }
///     .byEachObject { $0.tags }                           // into several groups
///
/// What a closure gets says what it reads, so a change of anything else doesn't run it. A touch of what it reads does.
/// A closure should depend on nothing but what it gets; one that doesn't never breaks a view, but a row may then be in a
/// group it would not be put in now.
public struct Grouping<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    let rule: GroupingRule

    init(_ reads: Aspects, _ name: @escaping @Sendable (RecordBox) -> String?) {
        rule = GroupingRule(reads: reads) { box in
            guard let name = name(box) else { return .none }
            return .one(name.normalizedKey)
        }
    }

    init<Names: Sequence & SendableMetatype>(each reads: Aspects, _ names: @escaping @Sendable (RecordBox) -> Names)
    where Names.Element: StringProtocol & SendableMetatype {
        rule = GroupingRule(reads: reads, isMultiple: true) { box in
            GroupNames(names(box).map { String($0).normalizedKey })
        }
    }

    // MARK: One group

    /// All records in one group.
    public static func everything(in group: String) -> Self { Self(.key) { _ in group } }

    /// By the key. Runs once for each record.
    public static func byKey(_ group: @escaping @Sendable (_ key: String) -> String?) -> Self {
        Self(.key) { group($0.key) }
    }

    /// By the object. Runs when the object is set or touched.
    public static func byObject(_ group: @escaping @Sendable (_ object: Object) -> String?) -> Self {
        Self(.object) { $0.lendObject(to: group) }
    }

    /// By the object, to the raw value of an enumeration.
    public static func byObject<Group: RawRepresentable & SendableMetatype>(
        _ group: @escaping @Sendable (_ object: Object) -> Group?
    ) -> Self
    where Group.RawValue == String {
        Self(.object) { $0.lendObject(to: group)?.rawValue }
    }

    /// By the metadata. Runs when the metadata is set or touched.
    public static func byMetadata(_ group: @escaping @Sendable (_ metadata: Metadata?) -> String?) -> Self {
        Self(.metadata) { group(Record<Object, Metadata>(box: $0).metadata) }
    }

    /// By key, object and metadata. Runs whenever the record is set or touched.
    public static func byRow(_ group: @escaping @Sendable (_ row: Record<Object, Metadata>) -> String?) -> Self {
        Self(.row) { group(Record(box: $0)) }
    }

    // MARK: Several groups

    /// Into several groups, by the key. Names that are there twice count once.
    public static func byEachKey<Names: Sequence & SendableMetatype>(
        _ groups: @escaping @Sendable (_ key: String) -> Names
    ) -> Self
    where Names.Element: StringProtocol & SendableMetatype {
        Self(each: .key) { groups($0.key) }
    }

    /// Into several groups, by the object: its tags, for example.
    public static func byEachObject<Names: Sequence & SendableMetatype>(
        _ groups: @escaping @Sendable (_ object: Object) -> Names
    ) -> Self
    where Names.Element: StringProtocol & SendableMetatype {
        Self(each: .object) { $0.lendObject(to: groups) }
    }

    /// Into several groups, by the metadata.
    public static func byEachMetadata<Names: Sequence & SendableMetatype>(
        _ groups: @escaping @Sendable (_ metadata: Metadata?) -> Names
    ) -> Self
    where Names.Element: StringProtocol & SendableMetatype {
        Self(each: .metadata) { groups(Record<Object, Metadata>(box: $0).metadata) }
    }

    /// Into several groups, by key, object and metadata.
    public static func byEachRow<Names: Sequence & SendableMetatype>(
        _ groups: @escaping @Sendable (_ row: Record<Object, Metadata>) -> Names
    ) -> Self
    where Names.Element: StringProtocol & SendableMetatype {
        Self(each: .row) { groups(Record(box: $0)) }
    }
}

/// A ``Grouping`` without its types.
struct GroupingRule: Sendable {
    let reads: Aspects
    /// Whether a record can be put into several groups.
    var isMultiple = false
    let names: @Sendable (RecordBox) -> GroupNames
}

/// The groups of one record.
enum GroupNames: Equatable {
    case none
    case one(String)
    /// More than one, all different.
    case several([String])

    init(_ names: [String]) {
        var different: [String] = []
        if names.count < 8 {
            for name in names where !different.contains(name) { different.append(name) }
        } else {
            var seen: Set<String> = []
            different = names.filter { seen.insert($0).inserted }
        }
        self = different.count > 1 ? .several(different) : different.first.map { .one($0) } ?? .none
    }

    var all: [String] {
        switch self {
        case .none: []
        case .one(let name): [name]
        case .several(let names): names
        }
    }
}
