// Declares what the adapters call of AppKit. Nothing here is ever run.
@_exported import Foundation

extension IndexPath {
    public init(item: Int, section: Int) { fatalError() }
    public var item: Int { fatalError() }
    public var section: Int { fatalError() }
}

@MainActor open class NSCollectionView: NSObject {
    open func reloadData() {}
    open func performBatchUpdates(_ updates: (() -> Void)?, completionHandler: ((Bool) -> Void)? = nil) {}
    open func insertSections(_ sections: IndexSet) {}
    open func deleteSections(_ sections: IndexSet) {}
    open func insertItems(at indexPaths: Set<IndexPath>) {}
    open func deleteItems(at indexPaths: Set<IndexPath>) {}
    open func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
    open func reloadItems(at indexPaths: Set<IndexPath>) {}
}

public struct NSDiffableDataSourceSnapshot<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: Sendable {
    public init() {}
    public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {}
    public mutating func appendItems(
        _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
    ) {}
    public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) {}
    public var itemIdentifiers: [ItemIdentifierType] { [] }
}
