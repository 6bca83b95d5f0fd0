import YaprakModel

/// What collections and keys of a file are called in the database, where they can't keep their names.
///
/// A YapDatabase compares names by their bytes. Here two spellings of one text are one name, a collection has a name, and it
/// has no control characters. No two of the file may become one of the database.
struct TargetNames {
    /// The name of the collection of objects that had none.
    static let unnamed = "default"

    private var targets: [[UInt8]: String] = [:]
    private var taken: Set<String> = []
    /// Keys that are not plain ASCII, by collection: only those have a second spelling.
    private var spelled: [String: Set<String>] = [:]

    /// Reserves names for collections that are certain to keep them.
    init(_ names: [String]) {
        for name in names where Self.isPossible(name) {
            if taken.insert(name).inserted { targets[Array(name.utf8)] = name }
        }
    }

    /// The name of a collection in the database.
    mutating func collection(_ name: String) -> String {
        let bytes = Array(name.utf8)
        if let target = targets[bytes] { return target }
        var target = name.isEmpty ? Self.unnamed : name
        if !Self.isPossible(target) { target = Self.possible(target) }
        let wanted = target
        var number = 2
        while !taken.insert(target).inserted {
            target = "\(wanted) (\(number))"
            number += 1
        }
        targets[bytes] = target
        return target
    }

    /// The key of a row in the database.
    mutating func key(_ key: String, of row: Int64, in collection: String) -> String {
        if key.utf8.allSatisfy({ $0 < 0x80 }) { return key }
        // Strings are equal if they are spellings of one text.
        if spelled[collection, default: []].insert(key).inserted { return key }
        return "\(key) (row \(row))"
    }

    private static func isPossible(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= DatabaseLimits.nameBytesMax
            && !name.unicodeScalars.contains { isControl($0) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || scalar.value == 0x7f }

    /// Control characters become their pictures, and what is too long is cut.
    private static func possible(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            let picture = scalar.value == 0x7f ? 0x2421 : 0x2400 + scalar.value
            scalars.append(isControl(scalar) ? Unicode.Scalar(picture) ?? "?" : scalar)
        }
        var text = String(scalars)
        // Room for a number behind it.
        while text.utf8.count > DatabaseLimits.nameBytesMax - 16 { text.removeLast() }
        return text
    }
}
