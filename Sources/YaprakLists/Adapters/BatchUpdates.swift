/// Changes in the form that list views take them in one batch.
///
///     table.performBatchUpdates {
///         table.deleteSections(IndexSet(batch.deletedSections), with: .automatic)
///         …
///     }
///
/// List views refuse some sets of changes that are right: a row that moves into a section which is new, a section that
/// moves while its rows change. So here sections that move are deleted and inserted, and rows in deleted and inserted
/// sections are left out: they go and come with them.
///
/// Deletes and sources are as before the batch, all else is as after it. Rows to redraw are named as after it, for a second
/// step.
public struct BatchUpdates: Hashable, Sendable {
    /// A row's way from one path to another.
    public struct Move: Hashable, Sendable {
        /// The path before the batch.
        public let source: ListPath
        /// The path after it.
        public let target: ListPath
    }

    /// Sections to delete; ascending.
    public private(set) var deletedSections: [Int] = []
    /// Sections to insert; ascending.
    public private(set) var insertedSections: [Int] = []
    /// Rows to delete; descending.
    public private(set) var deletedRows: [ListPath] = []
    /// Rows to insert; ascending.
    public private(set) var insertedRows: [ListPath] = []
    /// Rows to move.
    public private(set) var movedRows: [Move] = []
    /// Rows to redraw, when the batch is done; ascending.
    public private(set) var redrawnRows: [ListPath] = []

    /// The batch for some changes.
    ///
    /// - Precondition: the changes are no reload.
    /// - Complexity: O(*c* log *c*) in the number of changes.
    public init(_ changes: ListChanges) {
        precondition(!changes.isReload, "a list that is to be reloaded has no batch of changes")
        deletedSections = changes.sectionChanges.compactMap(\.source).sorted()
        insertedSections = changes.sectionChanges.compactMap(\.target).sorted()
        let gone = Set(deletedSections)
        let new = Set(insertedSections)
        for change in changes.rowChanges {
            let source = change.source.flatMap { gone.contains($0.section) ? nil : $0 }
            let target = change.target.flatMap { new.contains($0.section) ? nil : $0 }
            if case .update = change.kind {
                if let target { redrawnRows.append(target) }
                continue
            }
            switch (source, target) {
            case (let source?, let target?):
                movedRows.append(Move(source: source, target: target))
                if !change.aspects.isEmpty { redrawnRows.append(target) }
            case (let source?, nil): deletedRows.append(source)
            case (nil, let target?): insertedRows.append(target)
            case (nil, nil): break
            }
        }
        deletedRows.sort(by: >)
        insertedRows.sort()
        redrawnRows.sort()
    }
}
