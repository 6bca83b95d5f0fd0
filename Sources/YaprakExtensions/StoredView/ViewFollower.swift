import YaprakCBOR
package import YaprakCore
import YaprakModel
import YaprakTrees

/// Keeps, in a replay without types, the views that checkpoints and commits describe.
///
/// A derived view is known from a checkpoint on, or from a commit that has the whole of it, for as long as every commit
/// says what it did to the view; from the first that does not, it is not known. A manual view is always known.
package final class ViewFollower: ReplayObserver {
    /// The views that the replay's states have now, and whether each is a manual view.
    package private(set) var known: [String: Bool] = [:]
    /// Views whose data in the files are inconsistent, and what is wrong.
    package private(set) var damage: [String: String] = [:]
    /// The only view to follow.
    private let only: String?

    /// - Parameter only: the view to follow; all there are if `nil`.
    package init(only: String? = nil) { self.only = only }

    /// Follows the views that a state has already.
    package init(continuing extensions: ExtensionTable) {
        only = nil
        for entry in extensions { known[entry.name] = entry.code(as: StoredView.self)?.isManual }
    }

    package var wantsCheckpoint: Bool { only.map { known[$0] == nil } ?? true }

    package func adopt(_ items: [String: ExtensionShelf.Item], in state: inout ReplayObserverState) {
        for (name, item) in items.sorted(by: { $0.key < $1.key })
        where known[name] == nil && (only == nil || name == only) {
            // Other extensions have other forms.
            guard let stored = try? item.bytes.map({ try StoredGroups(decoding: $0) }) else {
                if item.bytes == nil, item.isPrimary { adoptSteps(item.steps, name, in: &state) }
                continue
            }
            do {
                var root = try ViewRoot(
                    stored, versionTag: item.versionTag, skipsMissing: item.isPrimary, in: state)
                if item.isPrimary {
                    root.follow(item.steps.compactMap(Self.step), [:], isCleared: { _ in false }, in: state)
                }
                put(root, name, isManual: item.isPrimary, in: &state)
                damage[name] = nil
            } catch {
                damage[name] = (error as? ViewRoot.InconsistentHistory)?.what ?? ErrorText.of(error)
            }
        }
    }

    private func adoptSteps(_ steps: [[UInt8]], _ name: String, in state: inout ReplayObserverState) {
        let steps = steps.compactMap(Self.step)
        guard !steps.isEmpty else { return }
        var root = Self.emptyRoot
        root.follow(steps, [:], isCleared: { _ in false }, in: state)
        put(root, name, isManual: true, in: &state)
    }

    package func follow(_ commit: LoggedCommit, _ changes: [String: [ChangeEntry]], in state: inout ReplayObserverState)
    {
        func isCleared(_ name: String) -> Bool {
            commit.clearedAll || commit.collections.contains { $0.name == name && $0.isCleared }
        }
        followSteps(of: commit, changes, isCleared, in: &state)
        let histories = Dictionary(
            commit.histories.filter { only == nil || $0.name == only }.map { ($0.name, $0) },
            uniquingKeysWith: { $1 })
        for (name, isManual) in known where !isManual && histories[name] == nil { drop(name, in: &state) }
        for (name, logged) in histories.sorted(by: { $0.key < $1.key }) where known[name] != true {
            do {
                if logged.isUnknown {
                    drop(name, in: &state)
                } else {
                    try follow(logged, changes, isCleared, in: &state)
                }
            } catch {
                drop(name, in: &state)
                damage[name] =
                    "at commit \(commit.number) "
                    + ((error as? ViewRoot.InconsistentHistory)?.what ?? ErrorText.of(error))
            }
        }
    }

    private func followSteps(
        of commit: LoggedCommit, _ changes: [String: [ChangeEntry]], _ isCleared: (String) -> Bool,
        in state: inout ReplayObserverState
    ) {
        var steps: [String: [ManualStep]] = [:]
        for logged in commit.steps where only == nil || logged.name == only {
            if let step = Self.step(logged.step) { steps[logged.name, default: []].append(step) }
        }
        for name in steps.keys.sorted() where known[name] != true {
            // One that the program computed under that name is gone.
            drop(name, in: &state)
            put(Self.emptyRoot, name, isManual: true, in: &state)
        }
        for (name, isManual) in known where isManual {
            guard var root = root(of: name, in: state) else { continue }
            root.follow(steps[name] ?? [], changes, isCleared: isCleared, in: state)
            put(root, name, isManual: true, in: &state)
        }
    }

    private func follow(
        _ logged: LoggedCommit.LoggedHistory, _ changes: [String: [ChangeEntry]], _ isCleared: (String) -> Bool,
        in state: inout ReplayObserverState
    ) throws {
        let history = try logged.item.map { try CBORDecoder().decode(ViewHistory.self, from: $0) }
        if let history, let whole = history.whole {
            try whole.validate()
            let old = root(of: logged.name, in: state) ?? Self.emptyRoot
            let root = try old.replaced(by: whole, history, versionTag: logged.versionTag, changes, in: state)
            drop(logged.name, in: &state)
            put(root, logged.name, isManual: false, in: &state)
            damage[logged.name] = nil
        } else if var root = root(of: logged.name, in: state) {
            try root.follow(history, versionTag: logged.versionTag, changes, isCleared: isCleared, in: state)
            put(root, logged.name, isManual: false, in: &state)
        }
    }

    // MARK: Without following

    /// Whether what a checkpoint has of an extension is a view, by its form.
    package static func isView(_ item: ExtensionShelf.Item) -> Bool {
        guard let bytes = item.bytes else { return item.steps.contains { step($0) != nil } }
        return (try? StoredGroups(decoding: bytes)) != nil
    }

    /// Whether a logged step is one of a manual view, by its form.
    package static func isStep(_ bytes: [UInt8]) -> Bool { step(bytes) != nil }

    /// Whether a commit says what it did to a view that has to be known before.
    package static func continuesUnknownView(_ commit: LoggedCommit, in extensions: ExtensionTable) -> Bool {
        commit.histories.contains { !$0.isUnknown && extensions.index(of: $0.name) == nil && !isWhole($0) }
    }

    /// Whether a commit has the whole of a view.
    package static func isWhole(_ logged: LoggedCommit.LoggedHistory) -> Bool {
        guard let item = logged.item, !logged.isUnknown else { return false }
        return (try? CBORDecoder().decode(ViewHistory.self, from: item))?.whole != nil
    }

    // MARK: Roots

    private static func step(_ bytes: [UInt8]) -> ManualStep? {
        try? CBORDecoder().decode(ManualStep.self, from: bytes)
    }

    private static var emptyRoot: ViewRoot {
        ViewRoot(
            configuration: StoredConfiguration(versionTag: "", of: [], order: PositionOrder(), hasSeveral: false))
    }

    private func root(of name: String, in state: ReplayObserverState) -> ViewRoot? {
        state.extensions.index(of: name).flatMap { state.extensions[$0].root as? ViewRoot }
    }

    private func put(_ root: ViewRoot, _ name: String, isManual: Bool, in state: inout ReplayObserverState) {
        if let before = known.updateValue(isManual, forKey: name), before == isManual,
            let index = state.extensions.index(of: name)
        {
            state.extensions[index].root = root
        } else {
            if let index = state.extensions.index(of: name) { state.extensions.remove(at: index) }
            state.extensions.append(ExtensionEntry(StoredView(name, isManual: isManual), root: root))
        }
    }

    private func drop(_ name: String, in state: inout ReplayObserverState) {
        guard known.removeValue(forKey: name) != nil,
            let index = state.extensions.index(of: name)
        else { return }
        for var tree in (state.extensions[index].root as? ViewRoot)?.trees ?? [] { state.draft.clear(&tree) }
        state.extensions.remove(at: index)
    }
}
