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
        contents.sort()
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
        let version = version(key) ?? 0
        for index in groups.indices { groups[index].removeAll { $0.key == key } }
        let epoch = groups.joined().first?.epoch ?? 0
        let chosen = onePlace ? [random.below(4)] : (0..<4).filter { _ in random.chance(40) }
        for index in chosen {
            groups[index].append(
                Entry(sort: random.below(12), key: key, epoch: epoch, version: version + random.below(2)))
        }
        if chosen.count > 1 { touch(key) }
    }

    /// The same content in all groups, as one record has.
    private mutating func touch(_ key: Int) {
        let version = groups.joined().filter { $0.key == key }.map(\.version).max() ?? 0
        for index in groups.indices {
            for row in groups[index].indices where groups[index][row].key == key {
                groups[index][row].version = version
            }
        }
    }

    /// One commit, small or large.
    mutating func commit(_ random: inout SplitMix64, onePlace: Bool) {
        let size = random.chance(20) ? 12 : 1 + random.below(3)
        for _ in 0..<size {
            let key = random.below(18)
            switch random.below(20) {
            case 0..<8: put(key, &random, onePlace: onePlace)
            case 8..<12: for index in groups.indices { groups[index].removeAll { $0.key == key } }
            case 12..<18:
                for index in groups.indices {
                    for row in groups[index].indices where groups[index][row].key == key {
                        groups[index][row].version += 1
                    }
                }
            case 18:
                // A little to and fro: out of its place and back to it is no change of place.
                let group = random.below(4)
                guard let row = groups[group].randomElement(using: &random) else { continue }
                groups[group].removeAll { $0.key == row.key }
                groups[group].append(row)
            default:
                if random.chance(40) { groups[random.below(4)] = [] }
                if random.chance(20) { reorder(&random) }
            }
        }
        sort()
    }

    /// Another comparator.
    mutating func reorder(_ random: inout SplitMix64) {
        for index in groups.indices {
            for row in groups[index].indices {
                groups[index][row].epoch += 1
                if random.chance(30) { groups[index][row].sort = random.below(12) }
            }
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
