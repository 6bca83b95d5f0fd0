import Foundation

/// A value whose bytes in an index follow from it alone: no code of a program writes them.
///
/// A stored property of such a type says the same of the same record each time. An enumeration is none, because a program may
/// have written its `rawValue`.
protocol PlainIndexValue {}

/// Whether a type is one of these: then its `==` is no code of a program, nor is that of its elements.
package func isPlainIndexValue<Value>(_ type: Value.Type) -> Bool { type is any PlainIndexValue.Type }

extension Bool: PlainIndexValue {}
extension Int: PlainIndexValue {}
extension Int8: PlainIndexValue {}
extension Int16: PlainIndexValue {}
extension Int32: PlainIndexValue {}
extension Int64: PlainIndexValue {}
extension Int128: PlainIndexValue {}
extension UInt: PlainIndexValue {}
extension UInt8: PlainIndexValue {}
extension UInt16: PlainIndexValue {}
extension UInt32: PlainIndexValue {}
extension UInt64: PlainIndexValue {}
extension UInt128: PlainIndexValue {}
extension Double: PlainIndexValue {}
extension String: PlainIndexValue {}
extension Date: PlainIndexValue {}
extension UUID: PlainIndexValue {}
extension Data: PlainIndexValue {}
extension Optional: PlainIndexValue where Wrapped: PlainIndexValue {}
extension Array: PlainIndexValue where Element: PlainIndexValue {}
extension Set: PlainIndexValue where Element: PlainIndexValue {}
