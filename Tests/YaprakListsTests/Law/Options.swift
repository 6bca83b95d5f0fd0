import TestSupport
import Yaprak
import YaprakLocks

/// A set of options, in the order of the calls.
struct Options: Sendable {
    enum Call: Sendable {
        case dynamic(Bool, String?)
        case reversed(Bool, String?)
        case range(ListRange?, String?)
        case dependencies(Set<Int>, String?)
        case consolidate(Int)
    }

    /// Which groups, in which order; `nil` if that is chosen at each refresh.
    var fixedGroups: [String]?
    /// The group lists that are chosen, one for each moment.
    var chosenGroups: [[String]] = []
    var calls: [Call] = []
    var rowsHaveOnePlace = true
}

/// The groups that closures choose at the moment.
final class Choice: Sendable {
    private let groups = Mutex<[String]>([])
    var now: [String] {
        get { groups.withLock { $0 } }
        set { groups.withLock { $0 = newValue } }
    }
}

extension Options {
    /// The engine with these options.
    func mappings<View: OrderedView>(of view: View, _ choice: Choice) -> ViewMappings<View> {
        var mappings: ViewMappings<View>
        if let fixedGroups {
            mappings = ViewMappings(view, groups: fixedGroups)
        } else {
            mappings = ViewMappings(
                view, filter: { choice.now.contains($0) },
                order: { choice.now.firstIndex(of: $0)! < choice.now.firstIndex(of: $1)! })
        }
        for call in calls { mappings.make(call) }
        return mappings
    }

    /// The groups in the list at one moment.
    func mappedGroups(_ contents: Contents, moment: Int) -> [String] {
        if let fixedGroups { return fixedGroups }
        return chosenGroups[moment].filter { !contents.rows($0).isEmpty }
    }

    /// What the calls come to for one group: an account of its own, in stored order.
    func settled(_ group: String) -> (isDynamic: Bool, isReversed: Bool, range: ListRange?, offsets: Set<Int>) {
        var isDynamic = false
        var isReversed = false
        var range: ListRange?
        var offsets: Set<Int> = []
        for call in calls {
            switch call {
            case .dynamic(let flag, let name) where name == nil || name == group: isDynamic = flag
            case .reversed(let flag, let name) where name == nil || name == group: isReversed = flag
            case .range(let new, let name) where name == nil || name == group:
                range = isReversed ? new?.reversed : new
            case .dependencies(let new, let name) where name == nil || name == group:
                offsets = isReversed ? Set(new.map { -$0 }) : new
            default: break
            }
        }
        return (isDynamic, isReversed, range, offsets)
    }

    var threshold: Int? {
        calls.reduce(nil) { if case .consolidate(let threshold) = $1 { threshold } else { $0 } }
    }
}

extension ViewMappings {
    fileprivate mutating func make(_ call: Options.Call) {
        switch call {
        case .dynamic(let flag, let group?): setDynamic(flag, for: group)
        case .dynamic(let flag, nil): setDynamicForAllGroups(flag)
        case .reversed(let flag, let group?): setReversed(flag, for: group)
        case .reversed(let flag, nil): setReversedForAllGroups(flag)
        case .range(let range, let group?): setRange(range, for: group)
        case .range(let range, nil): setRangeForAllGroups(range)
        case .dependencies(let offsets, let group?): setDrawingDependencies(offsets, for: group)
        case .dependencies(let offsets, nil): setDrawingDependenciesForAllGroups(offsets)
        case .consolidate(let threshold): consolidate(below: threshold, into: "all")
        }
    }
}

extension Options.Call: CustomStringConvertible {
    var description: String {
        func of(_ group: String?) -> String { group ?? "all" }
        switch self {
        case .dynamic(let flag, let group): return "dynamic(\(flag), \(of(group)))"
        case .reversed(let flag, let group): return "reversed(\(flag), \(of(group)))"
        case .consolidate(let threshold): return "consolidate(\(threshold))"
        case .dependencies(let offsets, let group): return "dependencies(\(offsets.sorted()), \(of(group)))"
        case .range(nil, let group): return "range(nil, \(of(group)))"
        case .range(let range?, let group):
            let more = range.flexibility.map { ", \($0.minLength)...\($0.maxLength), \($0.growth)" } ?? ""
            let kind = range.isFlexible ? "flexible" : "fixed"
            return "range(\(kind)(\(range.length), \(range.offset), \(range.pin)\(more)), \(of(group)))"
        }
    }
}
