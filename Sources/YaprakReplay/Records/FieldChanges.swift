package import YaprakCBOR

/// The fields in which two values differ, one after the other, in the order of ``FieldChange/between(_:_:)``.
///
///     for change in FieldChanges(from: before.object, to: after.object).prefix(100) { print(change.path) }
///
/// Without recursion, and in the memory of the containers around a field: a record may have millions of fields.
package struct FieldChanges: Sequence, IteratorProtocol {
    /// Values that are not compared yet, each with its place.
    private var waiting: ArraySlice<FieldChange>
    /// The containers around the field, from the outside in.
    private var levels: [Level] = []

    /// The fields in which two values differ.
    package init(from before: CBORValue?, to after: CBORValue?) {
        waiting = [FieldChange(FieldPath(), before: before, after: after)]
    }

    /// The fields in which two records differ; metadata is a field of its own.
    package init(from before: ReplayRecord?, to after: ReplayRecord?) {
        waiting = [
            FieldChange(FieldPath(), before: before?.object, after: after?.object),
            FieldChange(FieldPath(["metadata"]), before: before?.metadata, after: after?.metadata),
        ]
    }

    /// The next field that differs. O(size of what is the same before it).
    package mutating func next() -> FieldChange? {
        while let part = nextPart() {
            if part.before == part.after { continue }
            guard let level = Level(part) else { return part }
            levels.append(level)
        }
        return nil
    }

    private mutating func nextPart() -> FieldChange? {
        while let last = levels.indices.last {
            if let part = levels[last].next() { return part }
            levels.removeLast()
        }
        return waiting.popFirst()
    }
}

extension FieldChanges {
    /// Two containers of one kind in the same place, and how many of their parts were compared.
    private struct Level {
        private enum Parts {
            case arrays([CBORValue], [CBORValue])
            /// The pairs before, what is under their keys now, and the pairs with other keys.
            case maps([CBORValue.Pair], now: [CBORValue: CBORValue], added: [CBORValue.Pair])
        }

        private let path: FieldPath
        private let parts: Parts
        private var place = 0

        /// `nil` for other values: each of them is a field as a whole.
        init?(_ values: FieldChange) {
            switch (values.before, values.after) {
            case (.map(let old), .map(let new)):
                let known = Set(old.map(\.key))
                parts = .maps(
                    old, now: Dictionary(new.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }),
                    added: new.filter { !known.contains($0.key) })
            case (.array(let old), .array(let new)): parts = .arrays(old, new)
            default: return nil
            }
            path = values.field
        }

        /// The next part of one or of both; `nil` behind the last.
        mutating func next() -> FieldChange? {
            defer { place += 1 }
            switch parts {
            case .maps(let old, let now, let added):
                if place < old.count {
                    let (key, value) = (old[place].key, old[place].value)
                    return FieldChange(path.appending(.key(key)), before: value, after: now[key])
                }
                guard place - old.count < added.count else { return nil }
                let pair = added[place - old.count]
                return FieldChange(path.appending(.key(pair.key)), before: Optional.none, after: pair.value)
            case .arrays(let old, let new):
                guard place < old.count || place < new.count else { return nil }
                // Not `nil` alone, which is also how a value writes null.
                return FieldChange(
                    path.appending(.place(place)), before: place < old.count ? old[place] : Optional.none,
                    after: place < new.count ? new[place] : Optional.none)
            }
        }
    }
}
