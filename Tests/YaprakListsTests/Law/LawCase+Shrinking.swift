@testable import YaprakLists

extension LawCase {
    /// A smaller case that is still wrong: fewer moments, fewer options, fewer rows.
    func shrunk() -> LawCase {
        var best = self
        var goesOn = true
        while goesOn {
            goesOn = false
            for candidate in best.smaller() where candidate.moments.count > 1 && candidate.fault() != nil {
                best = candidate
                goesOn = true
                break
            }
        }
        return best
    }

    private func smaller() -> [LawCase] {
        var result: [LawCase] = []
        for moment in moments.indices where moments.count > 2 {
            var next = self
            next.moments.remove(at: moment)
            if options.fixedGroups == nil { next.options.chosenGroups.remove(at: moment) }
            result.append(next)
        }
        for call in options.calls.indices {
            var next = self
            next.options.calls.remove(at: call)
            result.append(next)
        }
        for key in Set(moments.flatMap { $0.groups.joined().map(\.key) }) {
            var next = self
            for moment in next.moments.indices {
                for group in 0..<4 { next.moments[moment].groups[group].removeAll { $0.key == key } }
            }
            result.append(next)
        }
        for group in options.fixedGroups ?? [] where options.fixedGroups!.count > 1 {
            var next = self
            next.options.fixedGroups!.removeAll { $0 == group }
            result.append(next)
        }
        for moment in moments.indices {
            for group in 0..<4 {
                for row in moments[moment].groups[group].indices where moments[moment].groups[group][row].version > 0 {
                    var next = self
                    next.moments[moment].groups[group][row].version = 0
                    result.append(next)
                }
            }
        }
        return result
    }
}

extension LawCase: CustomStringConvertible {
    var description: String {
        var lines = ["groups \(options.fixedGroups.map { "\($0)" } ?? "chosen \(options.chosenGroups)")"]
        lines.append("options \(options.calls), one place: \(options.rowsHaveOnePlace)")
        for contents in moments {
            let groups = zip(Contents.names, contents.groups).map { name, rows in
                "\(name): " + rows.map { "k\($0.key)@\($0.sort)e\($0.epoch)v\($0.version)" }.joined(separator: " ")
            }
            lines.append(groups.joined(separator: " | "))
        }
        return lines.joined(separator: "\n")
    }
}
