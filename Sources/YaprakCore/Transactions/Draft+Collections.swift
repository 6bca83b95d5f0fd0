import YaprakModel
import YaprakTrees

// The collections that a transaction finds, and those it makes.
extension Draft {
    /// The slot of a typed collection, made if it is new.
    @inlinable
    func slot<Object, Metadata>(of collection: RecordCollection<Object, Metadata>) -> Int {
        guard let slot = slot(named: collection.name, Object.self, Metadata.self) else {
            return makeSlot(for: collection)
        }
        if collection.configuration != nil { checkConfigured(slot) }
        return slot
    }

    /// Fails if a handle brings a configuration along that nobody has bound: its checks and its coder would not be used.
    @usableFromInline @inline(never)
    func checkConfigured(_ slot: Int) {
        let binding = directory.bindings[slot]
        guard !binding.isConfigured, failure == nil else { return }
        fail(
            DatabaseError(
                .notConfigured,
                """
                "\(binding.name)" is in use without a configuration, and a handle brings one: its coder, checks and migrations \
                would not be used. Give the configured handle to Database.open(at:collections:), \
                Database.inMemory(collections:) or bind(_:) first.
                """,
                place: .init(collectionName: binding.name)))
    }

    @usableFromInline
    func slot(named name: String, _ object: any Any.Type, _ metadata: any Any.Type) -> Int? {
        // The draft keeps it until this is over: no reference more is counted.
        Unmanaged.passUnretained(directory)._withUnsafeGuaranteedRef { directory in
            guard let slot = directory.slot(of: name) else { return nil }
            directory.check(slot, object, metadata)
            return slot
        }
    }

    @usableFromInline @inline(never)
    func makeSlot<Object, Metadata>(for collection: RecordCollection<Object, Metadata>) -> Int {
        if let error = invalidName(collection.name, of: "collection") { fail(error) }
        return addCollection(TypedBinding(collection))
    }

    @inline(never)
    func addCollection(_ binding: CollectionBinding) -> Int {
        if let error = directory.refusal(of: binding, environment.limits) { fail(error) }
        directory = directory.appending(binding)
        roots.append(TreeRoot())
        frozen = nil
        return roots.count - 1
    }
}
