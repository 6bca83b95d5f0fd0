public import YaprakCBOR

/// Where a field is in a value: the keys of maps and the places in arrays that lead to it.
///
///     let path = FieldPath([.key("stops"), .place(2), .key("name")])
///     print(path)                                 // stops[2].name
///     print(path.value(in: record.object))
///     print(path.json.json())                     // ["stops",2,"name"]
///
/// Unlike its text, a path is never ambiguous: a key may have any characters, and need not be text.
public struct FieldPath: Sendable, Hashable {
    /// A step into a value.
    public enum Step: Sendable, Hashable {
        /// The value under a key of a map.
        case key(CBORValue)
        /// The item at a place of an array, counted from 0.
        case place(Int)
    }

    /// The last step; `nil` for the whole value.
    private let last: Link?

    private init(last: Link?) { self.last = last }

    /// The steps from the whole value to the field; none for the whole value. O(steps).
    public var steps: [Step] {
        get {
            var steps: [Step] = [], link = last
            while let here = link {
                steps.append(here.step)
                link = here.outer
            }
            return steps.reversed()
        }
        set { self = FieldPath(newValue) }
    }

    /// How many steps there are. O(1).
    package var stepCount: Int { last?.count ?? 0 }

    /// Whether two paths are equal since they share all steps: one walk over a value found both. Others may be equal, too. O(1).
    package func sharesAllSteps(with other: FieldPath) -> Bool { last === other.last }

    /// A path of these steps.
    public init(_ steps: [Step] = []) { last = steps.reduce(nil) { Link($1, in: $0) } }

    /// The path one step further. O(1): the two share what they have in common.
    public func appending(_ step: Step) -> FieldPath { FieldPath(last: Link(step, in: last)) }

    /// The container of the field, and the step from there; `nil` for the whole value. O(1).
    package var lastStep: (container: FieldPath, step: Step)? {
        last.map { (FieldPath(last: $0.outer), $0.step) }
    }

    /// The field of a value; `nil` if the value has none there.
    ///
    /// - Complexity: O(size of the maps on the way).
    public func value(in value: CBORValue) -> CBORValue? {
        var found = value
        for step in steps {
            switch (step, found) {
            case (.key(let key), .map(let pairs)):
                guard let pair = pairs.first(where: { $0.key == key }) else { return nil }
                found = pair.value
            case (.place(let place), .array(let items)):
                guard items.indices.contains(place) else { return nil }
                found = items[place]
            default: return nil
            }
        }
        return found
    }

    /// The steps as an array for JSON: texts are keys, numbers are places; a key that is no text is an array of one, its
    /// diagnostic notation.
    public var json: CBORValue {
        .array(
            steps.map { step in
                switch step {
                case .place(let place): return .integer(Int64(place))
                case .key(let key): return key.text == nil ? .array([.text(key.diagnostic())]) : key
                }
            })
    }
}

extension FieldPath {
    /// A step, and those before it, which the paths of all fields of a container share: there may be a million.
    private final class Link: Hashable, @unchecked Sendable {
        let step: Step
        let count: Int
        /// Changed by `deinit` alone.
        private(set) var outer: Link?

        init(_ step: Step, in outer: Link?) {
            self.step = step
            self.outer = outer
            count = (outer?.count ?? 0) + 1
        }

        // One after the other: each release within another takes its part of the stack.
        deinit {
            var next = outer.take()
            while isKnownUniquelyReferenced(&next), let link = next { next = link.outer.take() }
        }

        // From the last step on: those of one container are the same objects then.
        static func == (a: Link, b: Link) -> Bool {
            guard a.count == b.count else { return false }
            var one: Link? = a, other: Link? = b
            while one !== other {
                guard one?.step == other?.step else { return false }
                (one, other) = (one?.outer, other?.outer)
            }
            return true
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(count)
            var link: Link? = self
            while let here = link {
                hasher.combine(here.step)
                link = here.outer
            }
        }
    }
}

extension FieldPath.Step: ExpressibleByStringLiteral {
    /// The value under a key that is text.
    public init(stringLiteral value: String) { self = .key(.text(value)) }
}

extension FieldPath: CustomStringConvertible {
    /// Keys with dots between them, places in brackets: `stops[2].name`. Empty for the whole value.
    public var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .place(let place): text += "[\(place)]"
            case .key(let key):
                // Plain where it is a word, in diagnostic notation where it could be misread.
                if let word = key.text, !word.isEmpty, word.utf8.allSatisfy(Self.isWordByte) {
                    text += text.isEmpty ? word : "." + word
                } else {
                    text += "[" + key.diagnostic() + "]"
                }
            }
        }
        return text
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
