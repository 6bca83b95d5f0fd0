import YaprakCBOR
import YaprakReplay

/// The values in a value that have no parts, one after the other, each with its path.
///
///     for leaf in FieldLeaves(of: record.object) { print(leaf.path, leaf.value) }
///
/// Without recursion, and in the memory of the containers around a value: a record may nest deeper than the stack of a thread
/// reaches, and have millions of values.
struct FieldLeaves: Sequence, IteratorProtocol {
    /// A container, and how many of its parts were looked at.
    private struct Level {
        let path: FieldPath
        let container: CBORValue
        var place = 0

        /// The next part; `nil` behind the last.
        mutating func next() -> (path: FieldPath, value: CBORValue)? {
            defer { place += 1 }
            switch container {
            case .map(let pairs) where place < pairs.count:
                return (path.appending(.key(pairs[place].key)), pairs[place].value)
            case .array(let items) where place < items.count: return (path.appending(.place(place)), items[place])
            default: return nil
            }
        }
    }

    /// The value as a whole, before the first step.
    private var whole: (path: FieldPath, value: CBORValue)?
    /// The containers around a value, from the outside in.
    private var levels: [Level] = []

    /// The values in a value that has this path.
    init(of value: CBORValue, in path: FieldPath = FieldPath()) { whole = (path, value) }

    mutating func next() -> (path: FieldPath, value: CBORValue)? {
        while let part = nextPart() {
            switch part.value {
            case .map(let pairs) where !pairs.isEmpty: break
            case .array(let items) where !items.isEmpty: break
            default: return part
            }
            levels.append(Level(path: part.path, container: part.value))
        }
        return nil
    }

    private mutating func nextPart() -> (path: FieldPath, value: CBORValue)? {
        while let last = levels.indices.last {
            if let part = levels[last].next() { return part }
            levels.removeLast()
        }
        return whole.take()
    }
}
