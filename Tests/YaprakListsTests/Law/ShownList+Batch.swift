import YaprakExtensions

@testable import YaprakLists

extension ShownList {
    /// The list after a batch, by the rules of list views, which ask the new list what is in sections that come.
    func applying(_ batch: BatchUpdates, showing new: ShownList) throws -> ShownList {
        var goneRows: Set<ListPath> = []
        for path in batch.deletedRows + batch.movedRows.map(\.source) {
            guard row(at: path) != nil, goneRows.insert(path).inserted else { throw Refusal("\(path) can't go") }
            if batch.deletedSections.contains(path.section) { throw Refusal("\(path) goes with its section") }
        }
        var comers: [ListPath: Int] = [:]
        func bring(_ path: ListPath, _ key: Int?) throws {
            guard let key, comers.updateValue(key, forKey: path) == nil else { throw Refusal("\(path) can't come") }
            if batch.insertedSections.contains(path.section) { throw Refusal("\(path) comes with its section") }
        }
        for path in batch.insertedRows { try bring(path, new.row(at: path)) }
        for move in batch.movedRows { try bring(move.target, row(at: move.source)) }
        var rest = sections.indices.filter { !batch.deletedSections.contains($0) }
        var result = ShownList()
        for target in 0..<(rest.count + batch.insertedSections.count) {
            if batch.insertedSections.contains(target) {
                guard new.sections.indices.contains(target) else { throw Refusal("section \(target) is not there") }
                result.sections.append(new.sections[target])
                continue
            }
            let source = rest.removeFirst()
            var rows = sections[source].rows.enumerated()
                .filter { !goneRows.contains(ListPath(section: source, row: $0.offset)) }.map(\.element)
            for (path, key) in comers.filter({ $0.key.section == target }).sorted(by: { $0.key < $1.key }) {
                guard path.row <= rows.count else { throw Refusal("\(path) is past the end") }
                rows.insert(key, at: path.row)
            }
            result.sections.append(.init(name: sections[source].name, rows: rows))
        }
        for path in batch.redrawnRows where result.row(at: path) == nil {
            throw Refusal("\(path) is not there to be drawn")
        }
        return result
    }

    /// Whether the differences of all sections that stayed lead to `new`.
    func follows(_ changes: ListChanges, to new: ShownList) -> Bool {
        let gone = Set(changes.sectionChanges.compactMap(\.source))
        let come = Set(changes.sectionChanges.compactMap(\.target))
        let stayed = zip(
            sections.indices.filter { !gone.contains($0) }, new.sections.indices.filter { !come.contains($0) })
        func ids(_ rows: [Int]) -> [String] { rows.map { Contents.keys[$0] } }
        return stayed.allSatisfy { source, target in
            guard let difference = changes.difference(ofSection: target, before: source) else { return false }
            let keys = difference.map { step -> CollectionDifference<String>.Change in
                switch step {
                case .remove(let offset, let id, let other):
                    .remove(offset: offset, element: id.key, associatedWith: other)
                case .insert(let offset, let id, let other):
                    .insert(offset: offset, element: id.key, associatedWith: other)
                }
            }
            guard let named = CollectionDifference(keys) else { return false }
            return ids(sections[source].rows).applying(named) == ids(new.sections[target].rows)
        }
    }
}
