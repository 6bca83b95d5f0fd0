// swift-format-ignore: OrderedImports
#if (canImport(UIKit) && !os(watchOS)) || (canImport(AppKit) && !targetEnvironment(macCatalyst))
    #if canImport(UIKit)
        public import UIKit
    #else
        public import AppKit
    #endif
    import YaprakCore
    public import YaprakExtensions

    extension NSDiffableDataSourceSnapshot where SectionIdentifierType == String, ItemIdentifierType == ListItemID {
        /// What a list shows, for a diffable data source.
        ///
        ///     dataSource.apply(NSDiffableDataSourceSnapshot(of: update), animatingDifferences: true)
        ///
        /// Rows whose content changed are marked to be redrawn; all rows if the list is to be reloaded.
        /// - Complexity: O(*r* log *n*) in the number of rows that are shown.
        public init<View: OrderedView>(of update: ListUpdate<View>) {
            self.init()
            for section in update.new.itemIDs(of: update.mappings) {
                appendSections([section.name])
                appendItems(section.items, toSection: section.name)
            }
            // A reload does not say what changed: it may be the content of any row.
            let redrawn =
                update.isReload ? itemIdentifiers : update.rowChanges.filter { !$0.aspects.isEmpty }.map(\.itemID)
            #if canImport(UIKit)
                reconfigureItems(redrawn)
            #else
                reloadItems(redrawn)
            #endif
        }
    }
#endif
