// swift-format-ignore: OrderedImports
#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    extension ListPath {
        /// The same path for UIKit. O(1).
        public var indexPath: IndexPath { IndexPath(item: row, section: section) }

        /// The path that UIKit calls `indexPath`. O(1).
        public init(_ indexPath: IndexPath) { self.init(section: indexPath.section, row: indexPath.item) }
    }
#elseif canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit

    extension ListPath {
        /// The same path for AppKit. O(1).
        public var indexPath: IndexPath { IndexPath(item: row, section: section) }

        /// The path that AppKit calls `indexPath`. O(1).
        public init(_ indexPath: IndexPath) { self.init(section: indexPath.section, row: indexPath.item) }
    }
#endif
