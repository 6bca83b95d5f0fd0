import HashTreeCollections
import Yaprak
import YaprakExtensions

@testable import YaprakLists

/// One case of the law: options, and the contents of a view at several moments.
struct LawCase: Sendable {
    var options = Options()
    var moments: [Contents] = []

    /// How many changes it judges.
    var count: Int { max(0, moments.count - 1) }
}

extension LawCase {
    /// Writes the moments into a database, and judges every step from one to the next. Returns what is wrong, or `nil`.
    func fault() async throws -> String? {
        var database = try await LawDatabase(rowsHaveOnePlace: options.rowsHaveOnePlace)
        var snapshots: [Snapshot] = []
        for contents in moments { snapshots.append(try await database.become(contents)) }
        var kept: [[String: KeptRows]] = []
        for step in 1..<moments.count {
            let rows = KeptRows.all(
                of: database.view, from: (moments[step - 1], snapshots[step - 1]), to: (moments[step], snapshots[step]))
            for (name, rows) in rows where rows.fault != nil { return "step \(step), group \(name): \(rows.fault!)" }
            kept.append(rows)
        }
        return try fault(of: database.view, in: snapshots, kept)
    }

    /// Judges every step from one moment to the next, with `snapshots` of a view that has just these contents, and the rows
    /// that each step keeps.
    func fault(of view: MarkView, in snapshots: [Snapshot], _ steps: [[String: KeptRows]]) throws -> String? {
        let choice = Choice()
        func choose(_ moment: Int) { if options.fixedGroups == nil { choice.now = options.chosenGroups[moment] } }
        choose(0)
        var mappings = options.mappings(of: view, choice)
        try mappings.update(to: snapshots[0])
        var naive = NaiveMappings(options: options, mapped: options.mappedGroups(moments[0], moment: 0))
        for name in naive.mapped { naive.begin(name, count: moments[0].rows(name).count) }
        var list = naive.shown(moments[0])
        if mappings.shown(moments[0]) != list { return "fresh: \(mappings.shown(moments[0])) is not \(list)" }
        for step in 1..<moments.count {
            choose(step)
            let (old, new) = (moments[step - 1], moments[step])
            let kept = steps[step - 1]
            let earlier = mappings
            let changes = try mappings.advance(from: snapshots[step - 1], to: snapshots[step])
            let naiveBefore = naive
            naive = naive.advanced(from: old, to: new, kept, moment: step, earlier.core, mappings.core)
            let shown = naive.shown(new)
            func report(_ text: String) -> String {
                """
                step \(step): \(text)
                  before \(list)
                  after  \(shown)
                  sections \(changes.sectionChanges)
                  rows \(changes.rowChanges)
                """
            }
            if let problem = naive.problem { return report(problem) }
            let queried = mappings.shown(new)
            if queried != shown { return report("the mappings show \(queried)") }
            if changes.isReload { return report("a reload that nobody asked for") }
            do {
                let result = try list.applying(changes)
                if result != shown { return report("the changes give \(result)") }
                if step == 1 {
                    let batch = BatchUpdates(changes)
                    let batched = try list.applying(batch, showing: shown)
                    if batched != shown { return report("the batch \(batch) gives \(batched)") }
                    if !list.follows(changes, to: shown) { return report("the collection differences lead elsewhere") }
                }
            } catch { return report("\(error)") }
            let judge = Judge(
                options: options, old: old, new: new, before: naiveBefore, after: naive, kept: kept, changes: changes)
            if let problem = judge.fault() { return report(problem) }
            list = shown
        }
        return nil
    }
}

extension ViewMappings {
    /// The list as the queries of mappings describe it.
    func shown(_ contents: Contents) -> ShownList {
        var list = ShownList()
        for section in 0..<numberOfSections {
            let rows = (0..<numberOfItems(inSection: section)).map { row in
                let place = place(at: ListPath(section: section, row: row))!
                return contents.rows(place.group)[place.index].key
            }
            list.sections.append(.init(name: group(forSection: section)!, rows: rows))
        }
        return list
    }
}

extension NaiveMappings {
    /// Shows a group as one that nobody has looked at before.
    mutating func begin(_ name: String, count: Int, distance: Int? = nil) {
        guard let asked = options.settled(name).range else {
            windows[name] = 0..<count
            return
        }
        let range = ListRange(
            length: asked.length, offset: distance ?? asked.offset, pin: asked.pin, flexibility: asked.flexibility)
        let window = Self.fresh(range, count: count)
        windows[name] = window
        if window.isEmpty && count <= range.offset { waiting[name] = range.offset }
    }

    /// The next mappings. Where a range went that the model can't say, the engine's answer is taken, and what is promised
    /// for it is checked.
    func advanced(
        from old: Contents, to new: Contents, _ kept: [String: KeptRows], moment: Int, _ earlier: ListCore,
        _ later: ListCore
    ) -> NaiveMappings {
        var next = NaiveMappings(options: options, mapped: options.mappedGroups(new, moment: moment))
        for name in next.mapped {
            let count = new.rows(name).count
            let keys = Set(old.rows(name).map(\.key))
            guard let range = options.settled(name).range, let flexibility = range.flexibility,
                let window = windows[name], let state = earlier.windows[name],
                new.rows(name).contains(where: { keys.contains($0.key) })
            else {
                next.begin(name, count: count)
                continue
            }
            let isSameOrder = old.epoch == new.epoch
            if isSameOrder, let distance = waiting[name] {
                next.begin(name, count: count, distance: distance)
                continue
            }
            let followed =
                isSameOrder
                ? Self.followed(range, kept[name]!, window: window, isRefilling: state.isRefilling) : nil
            let word = later.layout.group(named: name)?.window ?? 0..<0
            next.windows[name] = followed ?? word
            if followed == nil {
                if let window = later.windows[name], window.isWaiting { next.waiting[name] = window.offset }
                if word.count > flexibility.maxLength { next.problem = "\(name) shows more than its greatest length" }
                if word.count < min(count, flexibility.minLength) {
                    next.problem = "\(name) shows less than its least length"
                }
                if word.lowerBound < 0 || word.upperBound > count { next.problem = "\(name) shows what it has not" }
            }
        }
        return next
    }
}
