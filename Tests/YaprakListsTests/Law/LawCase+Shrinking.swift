@testable import YaprakLists

extension LawCase {
    /// A smaller case that is still wrong: fewer moments, fewer options, fewer rows.
    func shrunk() async throws -> LawCase {
        var best = self
        var goesOn = true
        while goesOn {
            goesOn = false
            for candidate in best.smaller() where candidate.moments.count > 1 {
                guard try await candidate.fault() != nil else { continue }
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
        for key in Set(moments.flatMap(\.records.keys)) {
            var next = self
            for moment in next.moments.indices {
                next.moments[moment].records[key] = nil
                next.moments[moment].arrange()
            }
            result.append(next)
        }
        for group in options.fixedGroups ?? [] where options.fixedGroups!.count > 1 {
            var next = self
            next.options.fixedGroups!.removeAll { $0 == group }
            result.append(next)
        }
        for moment in moments.indices {
            for (key, record) in moments[moment].records where record.version > 0 {
                var next = self
                next.moments[moment].records[key]!.version = 0
                next.moments[moment].arrange()
                result.append(next)
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
                let words = rows.map { row in
                    "k\(row.key)@\(contents.records[row.key]!.sort)v\(row.version)w\(row.stamp)"
                }
                return "\(name): " + words.joined(separator: " ")
            }
            lines.append("order \(contents.epoch) | " + groups.joined(separator: " | "))
        }
        return lines.joined(separator: "\n")
    }
}
