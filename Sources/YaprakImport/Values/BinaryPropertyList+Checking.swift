#if SQLite
    import Foundation
    import YaprakCBOR
    import YaprakLocks

    extension BinaryPropertyList {
        /// Decodes a type of the program's from the bytes of a row, which are not trusted.
        ///
        /// Foundation's decoder follows references as often as they are there, and calls itself for each level: a list that
        /// holds itself, or means billions of items, would end the process. It reads other forms as well, of which nothing here
        /// knows the depth. So what it gets was followed once before, within the bounds of a record.
        /// - Throws: `DecodingError`. - Complexity: O(bytes) for a list that holds each object once.
        static func decoded<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            let levels: Int
            do throws(ForeignDataError) {
                levels = try checked(Array(data)).deepest
            } catch {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: [], debugDescription: error.message, underlyingError: error))
            }
            if levels <= DeepStack.levelsBefore { return try PropertyListDecoder().decode(type, from: data) }
            return try DeepStack.run { () throws(any Error) in try PropertyListDecoder().decode(type, from: data) }
        }

        /// How much a list means, each object in each place that refers to it; 0 for bytes that are not decoded, and for others.
        /// - Complexity: as ``decoded(_:from:)``.
        static func meantBytes(_ bytes: [UInt8]) -> Int { (try? checked(bytes))?.meantBytes ?? 0 }

        /// Follows all references of a list once.
        private static func checked(_ bytes: [UInt8]) throws(ForeignDataError) -> ReferenceWalk {
            // Others have the first seven bytes, too, and need not be binary to Foundation.
            guard bytes.starts(with: "bplist00".utf8) else {
                throw .malformed("it is no binary property list: give decode(_:as:object:) a closure that reads it")
            }
            let list = try BinaryPropertyList(bytes)
            var walk = ReferenceWalk(list)
            _ = try walk.value(list.top, 0, followed)
            return walk
        }

        /// Goes on with what an object refers to. No value is made.
        private static func followed(
            _ walk: inout ReferenceWalk, _ object: Object, _ level: Int
        ) throws(ForeignDataError) -> CBORValue {
            switch object {
            case .array(let numbers):
                for number in numbers { _ = try walk.value(number, level + 1, followed) }
            case .dictionary(let keys, let values):
                for (key, value) in zip(keys, values) {
                    guard case .text = try walk.object(key) else {
                        throw .malformed("a key of a dictionary is no text")
                    }
                    _ = try walk.value(value, level + 1, followed)
                }
            default: break
            }
            return .null
        }
    }
#endif
