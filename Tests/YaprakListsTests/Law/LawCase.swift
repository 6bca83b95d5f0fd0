import TestSupport
import YaprakCore

@testable import YaprakLists

/// One case of the law: options, and the contents of a view at several moments.
struct LawCase: Sendable {
    var options = Options()
    var moments: [Contents] = []

    /// How many changes it judges.
    var count: Int { max(0, moments.count - 1) }
}

extension LawCase {
    /// Judges every step from one moment to the next. Returns what is wrong, or `nil`.
    func fault() -> String? {
        let choice = Choice()
        func choose(_ moment: Int) { if options.fixedGroups == nil { choice.now = options.chosenGroups[moment] } }
        choose(0)
        var core = options.core(choice)
        core.refresh(to: moments[0])
        var naive = NaiveMappings(options: options, mapped: options.mappedGroups(moments[0], moment: 0))
        for name in naive.mapped {
            let rows = moments[0].rows(name)
            naive.windows[name] =
                options.settled(name).range.map { NaiveMappings.fresh($0, count: rows.count) } ?? 0..<rows.count
        }
        var list = naive.shown(moments[0])
        if core.shown(moments[0]) != list { return "fresh: \(core.shown(moments[0])) is not \(list)" }
        for step in 1..<moments.count {
            choose(step)
            let earlier = core
            let view = moments[step - 1].view(to: moments[step], rowsHaveOnePlace: options.rowsHaveOnePlace)
            let changes = core.advance(over: view)
            let naiveBefore = naive
            naive = naive.advanced(from: moments[step - 1], to: moments[step], moment: step, earlier, core)
            let shown = naive.shown(moments[step])
            func report(_ text: String) -> String {
                "step \(step): \(text)\n  before \(list)\n  after  \(shown)\n  sections \(changes.sectionChanges)\n  rows \(changes.rowChanges)"
            }
            if let problem = naive.problem { return report(problem) }
            let queried = core.shown(moments[step])
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
                options: options, old: moments[step - 1], new: moments[step], before: naiveBefore,
                after: naive, changes: changes)
            if let problem = judge.fault() { return report(problem) }
            list = shown
        }
        return nil
    }
}

extension ListCore {
    /// The list as the queries of mappings describe it.
    func shown(_ contents: Contents) -> ShownList {
        var list = ShownList()
        for section in 0..<layout.sectionCount {
            var rows: [Int] = []
            for row in 0..<layout.rowCount(inSection: section)! {
                let place = layout.place(at: ListPath(section: section, row: row))!
                rows.append(contents.rows(layout.groups[place.group].name)[place.position].key)
            }
            list.sections.append(.init(name: layout.sectionNames[section], rows: rows))
        }
        return list
    }
}

extension NaiveMappings {
    /// Where a range went that the model can't say: the engine's word is taken, and what is promised for it is checked.
    func advanced(
        from old: Contents, to new: Contents, moment: Int, _ earlier: ListCore, _ later: ListCore
    ) -> NaiveMappings {
        var next = NaiveMappings(options: options, mapped: options.mappedGroups(new, moment: moment))
        for name in next.mapped {
            let count = new.rows(name).count
            guard let range = options.settled(name).range else {
                next.windows[name] = 0..<count
                continue
            }
            guard let window = windows[name], let flexibility = range.flexibility, let state = earlier.windows[name]
            else {
                next.windows[name] = Self.fresh(range, count: count)
                continue
            }
            let followed = Self.followed(
                range, old: old.rows(name), new: new.rows(name), window: window, offset: state.offset,
                isRefilling: state.isRefilling)
            let word = later.layout.group(named: name)?.window ?? 0..<0
            next.windows[name] = followed ?? word
            if followed == nil {
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
