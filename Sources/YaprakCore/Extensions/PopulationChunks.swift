import YaprakTrees

/// The records of a state as insertions, some at a time.
struct PopulationChunks: Sequence, IteratorProtocol {
    private let state: SnapshotState
    private let slots: [Int]
    private var slot = 0
    private var position = 0
    let total: Int

    /// Records in one chunk.
    private static let size = 1024

    init(_ state: SnapshotState, _ registration: ExtensionRegistration) {
        self.state = state
        slots = state.directory.bindings.indices.filter { slot in
            let binding = state.directory.bindings[slot]
            return !binding.isHidden && !(binding is RawBinding)
                && registration.collectionNames?.contains(binding.name) ?? true
        }
        total = slots.reduce(0) { $0 + state.roots[$1].count }
    }

    mutating func next() -> NetChanges? {
        while slot < slots.count {
            let root = state.roots[slots[slot]]
            if position >= root.count {
                slot += 1
                position = 0
                continue
            }
            let range = position..<Swift.min(root.count, position + Self.size)
            position = range.upperBound
            var entries: ContiguousArray<ChangeEntry> = []
            entries.reserveCapacity(range.count)
            root.forEach(in: range) {
                entries.append(
                    ChangeEntry(before: nil, after: unsafeDowncast($0, to: RecordBox.self), kinds: .inserted))
            }
            var batch = ChangeBatch()
            batch.collections = [
                CollectionChanges(
                    binding: state.directory.bindings[slots[slot]], clearedCount: nil, entries: OneOrMany(entries))
            ]
            return NetChanges(batch: batch)
        }
        return nil
    }
}

extension SnapshotState {
    /// Whether every collection an extension looks at has its types, so that it gets to see all records there are.
    func isBound(for registration: ExtensionRegistration) -> Bool {
        zip(directory.bindings, roots).allSatisfy { binding, root in
            !(binding is RawBinding) || binding.isHidden || root.isEmpty
                || !(registration.collectionNames?.contains(binding.name) ?? true)
        }
    }
}
