import Foundation
import YaprakExtensions

/// The types whose `<` is the order of an index. What `<` means for a type of the program is for that type to say.
enum NaturalOrder {
    static func isOf(_ type: any Any.Type) -> Bool {
        switch type {
        case is Int.Type, is Int8.Type, is Int16.Type, is Int32.Type, is Int64.Type, is Int128.Type: true
        case is UInt.Type, is UInt8.Type, is UInt16.Type, is UInt32.Type, is UInt64.Type, is UInt128.Type: true
        case is Double.Type, is String.Type, is Date.Type, is UUID.Type: true
        default: false
        }
    }

    /// Those whose values a sort descriptor of Foundation may compare. Without `UUID`, which is `Comparable` on some systems
    /// only, and with types of numbers that no index has: a sort of ours has a place for NaN, and the descriptor has none.
    static let types: [any (Comparable & Sendable).Type] = {
        var types: [any (Comparable & Sendable).Type] = [
            Int.self, String.self, Double.self, Date.self, Int64.self, Int32.self, Int16.self, Int8.self, Int128.self,
            UInt.self, UInt64.self, UInt32.self, UInt16.self, UInt8.self, UInt128.self, Float.self, CGFloat.self,
        ]
        // Those that not every machine has.
        #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
            types.append(Float16.self)
        #endif
        #if !(os(Windows) || os(Android)) && (arch(i386) || arch(x86_64))
            types.append(Float80.self)
        #endif
        return types
    }()

    /// The type of an index of such values; `nil` for others.
    static func indexType<Value>(_ type: Value.Type) -> IndexType? {
        if type == Int.self { return Int.indexType }
        if type == String.self { return String.indexType }
        return isOf(type) ? (type as? any IndexValue.Type)?.indexType : nil
    }
}
