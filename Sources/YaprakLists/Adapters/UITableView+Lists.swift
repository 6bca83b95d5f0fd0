// swift-format-ignore: OrderedImports
#if canImport(UIKit) && !os(watchOS)
    public import UIKit
    import YaprakCore
    public import YaprakExtensions

    extension UITableView {
        /// Shows an update. The data source must answer from ``ListUpdate/new`` and ``ListUpdate/mappings`` when this is
        /// called, and from what came before until then.
        ///
        ///     tableView.apply(update, with: .automatic) { self.shown = update }
        ///
        /// - Parameters:
        ///   - animation: how rows and sections come and go.
        ///   - adopt: makes the data source answer from the update.
        @MainActor
        public func apply<View: OrderedView>(
            _ update: ListUpdate<View>, with animation: RowAnimation = .automatic, adopt: @escaping () -> Void
        ) {
            apply(update.changes, with: animation, adopt: adopt)
        }

        /// Shows changes, such as those of the rows of a query. The data source must answer from what is shown afterwards when
        /// `adopt` is called, and from what came before until then.
        ///
        ///     let next = QuerySections(update.rows) { $0.object.day }
        ///     tableView.apply(next.changes(since: shown)) { self.shown = next }
        ///
        /// - Parameters:
        ///   - animation: how rows and sections come and go.
        ///   - adopt: makes the data source answer from what is shown afterwards.
        @MainActor
        public func apply(
            _ changes: ListChanges, with animation: RowAnimation = .automatic, adopt: @escaping () -> Void
        ) {
            if changes.isReload {
                adopt()
                return reloadData()
            }
            let batch = BatchUpdates(changes)
            performBatchUpdates { [self] in
                adopt()
                deleteSections(IndexSet(batch.deletedSections), with: animation)
                insertSections(IndexSet(batch.insertedSections), with: animation)
                deleteRows(at: batch.deletedRows.map(\.indexPath), with: animation)
                insertRows(at: batch.insertedRows.map(\.indexPath), with: animation)
                for move in batch.movedRows { moveRow(at: move.source.indexPath, to: move.target.indexPath) }
            }
            if !batch.redrawnRows.isEmpty { reconfigureRows(at: batch.redrawnRows.map(\.indexPath)) }
        }
    }
#endif
