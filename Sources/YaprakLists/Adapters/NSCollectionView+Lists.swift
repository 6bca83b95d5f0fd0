// swift-format-ignore: OrderedImports
#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit
    import YaprakCore
    public import YaprakExtensions

    extension NSCollectionView {
        /// Shows an update. The data source must answer from ``ListUpdate/new`` and ``ListUpdate/mappings`` when this is
        /// called, and from what came before until then.
        ///
        ///     collectionView.apply(update) { self.shown = update }
        ///
        /// - Parameter adopt: makes the data source answer from the update.
        @MainActor
        public func apply<View: OrderedView>(_ update: ListUpdate<View>, adopt: @escaping () -> Void) {
            apply(update.changes, adopt: adopt)
        }

        /// Shows changes, such as those of the rows of a query. The data source must answer from what is shown afterwards when
        /// `adopt` is called, and from what came before until then.
        ///
        ///     let next = QuerySections(update.rows) { $0.object.day }
        ///     collectionView.apply(next.changes(since: shown)) { self.shown = next }
        ///
        /// - Parameter adopt: makes the data source answer from what is shown afterwards.
        @MainActor
        public func apply(_ changes: ListChanges, adopt: @escaping () -> Void) {
            if changes.isReload {
                adopt()
                return reloadData()
            }
            let batch = BatchUpdates(changes)
            performBatchUpdates { [self] in
                adopt()
                deleteSections(IndexSet(batch.deletedSections))
                insertSections(IndexSet(batch.insertedSections))
                deleteItems(at: Set(batch.deletedRows.map(\.indexPath)))
                insertItems(at: Set(batch.insertedRows.map(\.indexPath)))
                for move in batch.movedRows { moveItem(at: move.source.indexPath, to: move.target.indexPath) }
            }
            if !batch.redrawnRows.isEmpty { reloadItems(at: Set(batch.redrawnRows.map(\.indexPath))) }
        }
    }
#endif
