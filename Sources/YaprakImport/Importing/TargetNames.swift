import YaprakCore
import YaprakModel

/// What collections and keys of a file are called in the database, where they can't keep their names.
///
/// A YapDatabase compares names by their bytes. Here two spellings of one text are one name, a collection has a name, and it
/// has no control characters. No two of the file may become one of the database.
struct TargetNames {
    /// The name of the collection of objects that had none.
    static let unnamed = "default"

    /// By the bytes of a collection in the file.
    private var targets: [[UInt8]: String] = [:]
    private var taken: Set<String> = []
    /// The next number behind a name that is taken.
    private var numbers: [String: Int] = [:]
    /// The keys that were given out, as hashes of 128 bits: strings that Swift calls equal have the same.
    private var keys: Set<KeyHash> = []
    private let keyBytesMax: Int

    private struct KeyHash: Hashable {
        let first: Int
        let second: Int

        init(_ collection: String, _ key: String) {
            var one = Hasher(), two = Hasher()
            one.combine(collection)
            one.combine(key)
            two.combine(1)
            two.combine(collection)
            two.combine(key)
            (first, second) = (one.finalize(), two.finalize())
        }
    }

    /// - Parameters:
    ///   - reserved: names in the database that the program gave to collections.
    ///   - names: collections of the file, which keep their names where they can.
    ///   - keyBytesMax: the bytes of a key that the database takes.
    init(reserved: [String], names: [String], keyBytesMax: Int) {
        taken = Set(reserved)
        self.keyBytesMax = keyBytesMax
        for name in names where Self.isPossible(name) {
            if taken.insert(name).inserted { targets[Array(name.utf8)] = name }
        }
    }

    /// The name of a collection in the database.
    /// - Parameter bytes: those of the name in the file.
    mutating func collection(_ name: String, bytes: [UInt8]) -> String {
        if let target = targets[bytes] { return target }
        var target = Self.isPossible(name) ? name : Self.possible(name)
        let wanted = target
        while !taken.insert(target).inserted {
            let number = numbers[wanted, default: 1] + 1
            numbers[wanted] = number
            let suffix = " (\(number))"
            target = Self.cut(wanted, to: DatabaseLimits.nameBytesMax - suffix.utf8.count) + suffix
        }
        targets[bytes] = target
        return target
    }

    /// The key of a row in the database: its own, unless another row has it already.
    mutating func key(_ key: String, of row: Int64, in collection: String) -> String {
        // The database refuses it; hashing it would take long, too. Its normal form may be shorter.
        if key.utf8.count > keyBytesMax, key.normalizedKey.utf8.count > keyBytesMax { return key }
        var target = key, number = 1
        while !keys.insert(KeyHash(collection, target)).inserted {
            target = "\(key) (row \(row))" + (number == 1 ? "" : " (\(number))")
            number += 1
        }
        return target
    }

    private static func isPossible(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= DatabaseLimits.nameBytesMax
            && !name.unicodeScalars.contains { isControl($0) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || scalar.value == 0x7f }

    /// Control characters become their pictures, and what is too long is cut.
    private static func possible(_ name: String) -> String {
        var scalars = String.UnicodeScalarView(), bytes = 0
        for scalar in name.unicodeScalars {
            let picture = scalar.value == 0x7f ? 0x2421 : 0x2400 + scalar.value
            let shown = isControl(scalar) ? Unicode.Scalar(picture) ?? "?" : scalar
            bytes += UTF8.width(shown)
            // Room for a number behind it.
            if bytes > DatabaseLimits.nameBytesMax - 16 { break }
            scalars.append(shown)
        }
        return scalars.isEmpty ? unnamed : String(scalars)
    }

    /// So much of a name as has no more bytes than these.
    private static func cut(_ name: String, to bytesMax: Int) -> String {
        var scalars = String.UnicodeScalarView(), bytes = 0
        for scalar in name.unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > bytesMax { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
