package import YaprakStorage
import YaprakTrees

// What a line without types keeps of extensions, from what checkpoints and commits say.

extension HistoryLine {
    /// Takes over what a checkpoint of the commit the line is at has of extensions, in a line without types.
    ///
    /// What can't be read is left out: it is derived, and no record depends on it.
    /// - Complexity: O(bytes of these parts of the checkpoint).
    package func adoptExtensions(of checkpoint: CheckpointReader) {
        guard let observer = makeObserver?(state.extensions), checkpoint.number == state.number else { return }
        let draft = beginDraft()
        draft.adoptExtensions(of: checkpoint, observer)
        state = draft.sealTrees(number: state.number)
        reclaimer.reclaimSome(timeline)
    }
}

extension Draft {
    /// Lets what follows extensions change them.
    /// - Throws: the failure that was put aside.
    func observe(_ body: (inout ReplayObserverState) -> Void) throws {
        if let failure { throw failure }
        var seen = ReplayObserverState(draft: tree, directory: directory, roots: roots, extensions: extensions)
        body(&seen)
        extensions = seen.extensions
        forgetFrozen()
    }

    /// Takes over what a checkpoint has of extensions.
    func adoptExtensions(of checkpoint: CheckpointReader, _ observer: any ReplayObserver) {
        guard let items = try? checkpoint.extensionItems() else { return }
        try? observe { observer.adopt(items, in: &$0) }
    }
}
