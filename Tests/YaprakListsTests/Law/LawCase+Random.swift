import TestSupport

@testable import YaprakLists

extension LawCase {
    /// The case that belongs to `seed`.
    static func random(seed: UInt64) -> LawCase {
        var random = SplitMix64(seed: seed)
        var result = LawCase()
        let changes = 4 + random.below(4)
        result.options = .random(&random, moments: changes + 1)
        let onePlace = result.options.rowsHaveOnePlace
        var contents = Contents()
        for key in 0..<(2 + random.below(14)) { contents.put(key, &random, onePlace: onePlace) }
        contents.arrange()
        result.moments = [contents]
        for _ in 0..<changes {
            contents.commit(&random, onePlace: onePlace)
            result.moments.append(contents)
        }
        return result
    }
}

extension Contents {
    /// Puts a row somewhere: into one group, or into each of some.
    mutating func put(_ key: Int, _ random: inout SplitMix64, onePlace: Bool) {
        let groups = onePlace ? [random.below(4)] : (0..<4).filter { _ in random.chance(40) }
        place(key, in: groups, sort: random.below(12))
        records[key]!.version += random.below(2)
    }

    /// One commit, small or large.
    mutating func commit(_ random: inout SplitMix64, onePlace: Bool) {
        let size = random.chance(20) ? 12 : 1 + random.below(3)
        for _ in 0..<size {
            let key = random.below(18)
            switch random.below(20) {
            case 0..<8: put(key, &random, onePlace: onePlace)
            case 8..<12: records[key] = nil
            case 12..<18: records[key]?.version += 1
            case 18:
                // Written again as it is: no change of place.
                if let record = records[key] { place(key, in: record.groups, sort: record.sort) }
            default:
                if random.chance(40) { empty(random.below(4)) }
                if random.chance(20) { reorder(&random) }
            }
        }
        arrange()
    }

    private mutating func empty(_ group: Int) {
        for (key, record) in records where record.groups.contains(group) {
            let rest = record.groups.filter { $0 != group }
            if rest.isEmpty { records[key] = nil } else { place(key, in: rest, sort: record.sort) }
        }
    }

    /// Another sorting, by other values of some rows.
    private mutating func reorder(_ random: inout SplitMix64) {
        epoch += 1
        for key in records.keys.sorted() where random.chance(30) {
            place(key, in: records[key]!.groups, sort: random.below(12))
        }
    }
}

extension Options {
    static func random(_ random: inout SplitMix64, moments: Int) -> Options {
        var options = Options()
        options.rowsHaveOnePlace = random.chance(80)
        let names = Contents.names
        func some() -> [String] { Array(names.shuffled(using: &random).prefix(1 + random.below(4))) }
        if random.chance(60) {
            options.fixedGroups = some()
        } else {
            var groups = some()
            options.chosenGroups = (0..<moments).map { _ in
                if random.chance(35) { groups = some() }
                return groups
            }
        }
        func group() -> String? { random.chance(35) ? nil : names.randomElement(using: &random)! }
        for _ in 0..<random.below(7) {
            switch random.below(11) {
            case 0, 1: options.calls.append(.dynamic(random.chance(75), group()))
            case 2, 3: options.calls.append(.reversed(random.chance(75), group()))
            case 4, 5, 6, 7: options.calls.append(.range(ListRange.random(&random), group()))
            case 8: options.calls.append(.dependencies(.random(&random), group()))
            case 9: options.calls.append(.consolidate(random.below(16)))
            default: options.calls.append(.range(nil, group()))
            }
        }
        return options
    }
}

extension Set<Int> {
    fileprivate static func random(_ random: inout SplitMix64) -> Self {
        let choices: [Self] = [[-1], [1], [-1, 1], [-2], [2, -1], [3]]
        return choices.randomElement(using: &random)!
    }
}

extension ListRange {
    static func random(_ random: inout SplitMix64) -> ListRange {
        let length = random.below(7)
        let offset = random.chance(50) ? 0 : random.below(5)
        let pin: Side = random.chance(50) ? .beginning : .end
        if random.chance(45) { return .fixed(length: length, offset: offset, from: pin) }
        let growths: [Growth] = [.pinSide, .otherSide, .bothSides]
        let maxLength = random.chance(50) ? Int.max : length + random.below(4)
        return .flexible(
            length: length, offset: offset, from: pin, minLength: random.chance(50) ? 0 : random.below(length + 1),
            maxLength: maxLength, growing: growths.randomElement(using: &random)!)
    }
}
