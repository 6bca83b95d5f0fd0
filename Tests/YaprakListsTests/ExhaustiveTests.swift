import TestSupport
import Testing

@testable import YaprakLists

/// The law for everything small: all contents of two groups with two or three rows, beside all others.
@Suite(.bounded) struct ExhaustiveTests {
    /// Every way to put `count` rows into two groups, or nowhere, at one of two places each.
    private static func contents(rows count: Int) -> [Contents] {
        var all = [Contents()]
        for key in 0..<count {
            all = all.flatMap { contents in
                [contents]
                    + [(0, 0), (0, 1), (1, 0), (1, 1)].map { group, sort in
                        var next = contents
                        next.groups[group].append(.init(sort: sort, key: key))
                        return next
                    }
            }
        }
        return all.map {
            var contents = $0
            contents.sort()
            return contents
        }
    }

    private func judge(_ contents: [Contents], _ calls: [Options.Call]) {
        var options = Options()
        options.fixedGroups = ["a", "b"]
        options.calls = calls
        for old in contents {
            for new in contents {
                let found = LawCase(options: options, moments: [old, new])
                guard let fault = found.fault() else { continue }
                Issue.record("\(found)\n\(fault)")
                return
            }
        }
    }

    private static var ranges: [ListRange] {
        var all: [ListRange] = []
        for pin in [ListRange.Side.beginning, .end] {
            for offset in 0...1 {
                for length in 0...2 {
                    all.append(.fixed(length: length, offset: offset, from: pin))
                    all.append(.flexible(length: length, offset: offset, from: pin))
                    all.append(
                        .flexible(length: length, offset: offset, from: pin, maxLength: length, growing: .bothSides))
                    all.append(
                        .flexible(length: length, offset: offset, from: pin, minLength: length, growing: .otherSide))
                }
            }
        }
        return all
    }

    private static let surroundings: [[Options.Call]] = [
        [], [.dynamic(true, nil)], [.reversed(true, "a")],
        [.dependencies([-1], nil), .dynamic(true, "b"), .consolidate(2)],
    ]

    @Test(arguments: surroundings.indices)
    func `Every change of two rows is told, whatever the range`(surrounding: Int) {
        for range in Self.ranges {
            judge(Self.contents(rows: 2), Self.surroundings[surrounding] + [.range(range, nil)])
        }
    }

    @Test(arguments: surroundings.indices)
    func `Every change of three rows is told`(surrounding: Int) {
        judge(Self.contents(rows: 3), Self.surroundings[surrounding])
    }
}
