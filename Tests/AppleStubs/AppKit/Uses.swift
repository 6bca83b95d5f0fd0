// Calls every adapter as a program would.
import AppKit
import YaprakCore
import YaprakExtensions

@MainActor private final class AppKitList<View: OrderedView> {
    private let collectionView = NSCollectionView()
    private var shown: ListUpdate<View>?

    func show(_ update: ListUpdate<View>) -> NSDiffableDataSourceSnapshot<String, ListItemID> {
        collectionView.apply(update) { self.shown = update }
        return NSDiffableDataSourceSnapshot(of: update)
    }

    func row(at indexPath: IndexPath) -> View.Element? {
        let path = ListPath(indexPath)
        return path.indexPath == indexPath ? shown?.new.row(at: path, in: shown!.mappings) : nil
    }
}
