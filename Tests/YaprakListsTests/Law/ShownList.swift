import YaprakExtensions

@testable import YaprakLists

/// A list as a screen has it: sections with rows. Knows nothing of how changes are found.
struct ShownList: Equatable {
    struct Section: Equatable {
        var name: String
        var rows: [Int]
    }

    var sections: [Section] = []

    func row(at path: ListPath) -> Int? {
        guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row) else {
            return nil
        }
        return sections[path.section].rows[path.row]
    }
}

/// Why a list view would have refused a set of changes.
struct Refusal: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension ShownList {
    /// The list after `changes`, by the rules of list views: what is not said to change stays, in its order.
    func applying(
        _ changes: ListChanges, numbering: (RowID) -> Int? = { Contents.number($0.key) }
    ) throws -> ShownList {
        func number(of change: RowChange) throws -> Int {
            guard let number = numbering(change.row) else { throw Refusal("\(change) is of a row nobody has") }
            return number
        }
        try Self.checkSequence(changes)
        var result = try applyingSections(changes.sectionChanges)
        var goneRows = sections.map { [Bool](repeating: false, count: $0.rows.count) }
        var comers: [ListPath: Int] = [:]
        func takeAway(_ path: ListPath, _ change: RowChange) throws {
            guard let row = row(at: path) else { throw Refusal("\(change) leaves no row") }
            if try number(of: change) != row { throw Refusal("\(change) is another row") }
            if goneRows[path.section][path.row] { throw Refusal("\(change): the row left already") }
            goneRows[path.section][path.row] = true
        }
        func bring(_ path: ListPath, _ change: RowChange) throws {
            if comers.updateValue(try number(of: change), forKey: path) != nil {
                throw Refusal("\(change): two rows come to the same place")
            }
        }
        for change in changes.rowChanges {
            switch change.kind {
            case .delete(let path): try takeAway(path, change)
            case .insert(let path): try bring(path, change)
            case .move(let from, let to):
                try takeAway(from, change)
                try bring(to, change)
            case .update: break
            }
        }
        for change in changes.rowChanges {
            guard case .update(let path, _) = change.kind else { continue }
            guard let row = row(at: path), try number(of: change) == row else {
                throw Refusal("\(change): another row")
            }
            if goneRows[path.section][path.row] { throw Refusal("\(change): the row is not there any more") }
        }
        for (target, source) in result.sources.enumerated() {
            var rest: [Int] = []
            if let source {
                for (row, key) in sections[source].rows.enumerated() where !goneRows[source][row] { rest.append(key) }
            }
            var arrived: [(row: Int, key: Int)] = []
            for (path, key) in comers where path.section == target { arrived.append((path.row, key)) }
            arrived.sort { $0.row < $1.row }
            for comer in arrived {
                guard comer.row >= 0 && comer.row <= rest.count else {
                    throw Refusal("a row comes past the end of \(target)")
                }
                rest.insert(comer.key, at: comer.row)
                comers[ListPath(section: target, row: comer.row)] = nil
            }
            result.list.sections[target].rows = rest
        }
        if let path = comers.keys.first { throw Refusal("a row comes to section \(path.section), which is not there") }
        for (source, section) in sections.enumerated() where !result.sources.contains(source) {
            for row in section.rows.indices where !goneRows[source][row] {
                throw Refusal("row \(row) of section \(source) went without a word")
            }
        }
        for change in changes.rowChanges {
            guard case .update(_, let path) = change.kind else { continue }
            if try number(of: change) != result.list.row(at: path) { throw Refusal("\(change) does not end there") }
        }
        return result.list
    }

    /// Deletes descending, inserts ascending, then moves, then updates; of sections the same.
    private static func checkSequence(_ changes: ListChanges) throws {
        func rank(_ kind: RowChange.Kind) -> Int {
            switch kind {
            case .delete: 0
            case .insert: 1
            case .move: 2
            case .update: 3
            }
        }
        for (first, second) in zip(changes.rowChanges, changes.rowChanges.dropFirst()) {
            let isInSequence =
                switch (first.kind, second.kind) {
                case (.delete(let a), .delete(let b)): a > b
                case (.insert(let a), .insert(let b)): a < b
                default: rank(first.kind) <= rank(second.kind)
                }
            if !isInSequence { throw Refusal("\(second) comes after \(first)") }
        }
        func check(_ positions: [Int], _ what: String) throws {
            if zip(positions, positions.dropFirst()).contains(where: { $0 >= $1 }) {
                throw Refusal("\(what) of sections are not in their sequence: \(changes.sectionChanges)")
            }
        }
        let sections = changes.sectionChanges
        try check(sections.reversed().compactMap { $0.target == nil ? $0.source : nil }, "deletes")
        try check(sections.compactMap { $0.source == nil ? $0.target : nil }, "inserts")
        try check(sections.compactMap { $0.source == nil ? nil : $0.target }, "moves")
    }

    /// The sections after `changes`, still empty, and where each was before.
    private func applyingSections(_ changes: [SectionChange]) throws -> (list: ShownList, sources: [Int?]) {
        var gone = [Bool](repeating: false, count: sections.count)
        var comers: [Int: (name: String, source: Int?)] = [:]
        for change in changes {
            if let source = change.source {
                guard sections.indices.contains(source) else { throw Refusal("\(change): no such section") }
                if gone[source] { throw Refusal("\(change): the section left already") }
                if sections[source].name != change.group { throw Refusal("\(change): it is \(sections[source].name)") }
                gone[source] = true
            }
            if let target = change.target {
                let comer = (change.group, change.source)
                if comers.updateValue(comer, forKey: target) != nil {
                    throw Refusal("\(change): two sections come there")
                }
            }
        }
        var result: [(name: String, source: Int?)] = []
        for (index, section) in sections.enumerated() where !gone[index] { result.append((section.name, index)) }
        for (target, comer) in comers.sorted(by: { $0.key < $1.key }) {
            guard target >= 0 && target <= result.count else { throw Refusal("section \(target) is past the end") }
            result.insert(comer, at: target)
        }
        return (ShownList(sections: result.map { Section(name: $0.name, rows: []) }), result.map(\.source))
    }
}
