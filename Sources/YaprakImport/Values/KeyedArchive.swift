import YaprakCBOR

/// A property list that an `NSKeyedArchiver` wrote: a table of objects, which refer to each other by their place in it.
///
///     {"$archiver": "NSKeyedArchiver", "$version": 100000, "$top": {"root": UID 1},
///      "$objects": ["$null", {"$class": UID 3, "title": UID 2}, "Dune", {"$classname": "Book", "$classes": […]}]}
struct KeyedArchive {
    private let list: BinaryPropertyList
    /// The numbers of the objects in the table.
    private let objects: [Int]
    private let top: [(name: String, number: Int)]

    /// The bytes of the names at the top of an archive, together.
    private static let nameBytesMax = 1 << 20

    /// The archive that a list is; `nil` for a list that is none.
    init?(_ list: BinaryPropertyList) throws(ForeignDataError) {
        guard case .dictionary(let keys, let values) = try list.object(list.top), keys.count <= 16 else { return nil }
        var fields: [String: Int] = [:], bytes = 0
        for (key, value) in zip(keys, values) {
            guard case .text(let name) = try list.object(key) else { return nil }
            bytes += name.utf8.count
            // One with longer names is none. Where texts overlap, many would be more than the bytes hold.
            guard bytes <= Self.nameBytesMax else { return nil }
            fields[name] = value
        }
        guard let archiver = fields["$archiver"], case .text("NSKeyedArchiver") = try list.object(archiver) else {
            return nil
        }
        var objects: [Int]?, top: [(String, Int)]?
        if let number = fields["$objects"], case .array(let numbers) = try list.object(number) { objects = numbers }
        if let number = fields["$top"] { top = try Self.names(list, number) }
        guard let objects, let top, !top.isEmpty else { throw .malformed("a keyed archive has no objects") }
        self.list = list
        self.objects = objects
        self.top = top.map { (name: $0.0, number: $0.1) }
    }

    private static func names(_ list: BinaryPropertyList, _ number: Int) throws(ForeignDataError) -> [(String, Int)]? {
        // A name may be a text that others are, too: many would be more than the bytes hold.
        guard case .dictionary(let keys, let values) = try list.object(number), keys.count <= 64 else { return nil }
        var names: [(String, Int)] = [], bytes = 0
        for (key, value) in zip(keys, values) {
            guard case .text(let name) = try list.object(key) else { return nil }
            bytes += name.utf8.count
            guard bytes <= nameBytesMax else {
                throw ForeignDataError(.overLimit, "the names of a keyed archive are too long")
            }
            names.append((name, value))
        }
        return names
    }

    /// The value of what was archived.
    func value(bytesMax: Int) throws(ForeignDataError) -> CBORValue {
        var walk = ReferenceWalk(list, bytesMax: bytesMax)
        if top.count == 1, top[0].name == "root" { return try value(top[0].number, 0, &walk) }
        var pairs: [CBORValue.Pair] = []
        for (name, number) in top { pairs.append(.init(.text(name), try value(number, 1, &walk))) }
        return .map(pairs)
    }

    private func value(_ number: Int, _ level: Int, _ walk: inout ReferenceWalk) throws(ForeignDataError) -> CBORValue {
        try walk.value(number, level) { (walk, object, level) throws(ForeignDataError) in
            try self.converted(object, level, &walk)
        }
    }

    private func converted(
        _ object: BinaryPropertyList.Object, _ level: Int, _ walk: inout ReferenceWalk
    ) throws(ForeignDataError) -> CBORValue {
        switch object {
        case .uid(let place):
            // The first object stands for nil.
            if place == 0 { return .null }
            let target = try number(at: place)
            // One after the other they would be a way around the bound of levels.
            // It is counted where it is converted, and only there.
            if case .uid = try walk.list.object(target) {
                throw .malformed("a reference of a keyed archive leads to another reference")
            }
            return try value(target, level, &walk)
        case .array(let numbers): return .array(try values(numbers, level, &walk))
        case .dictionary(let keys, let values):
            let fields = try ArchivedFields(keys, values, &walk)
            guard let reference = fields.class else { return .map(try pairs(fields, level, &walk)) }
            return try instance(fields, try classNames(reference, &walk), level, &walk)
        default:
            guard let value = CBORValue(leaf: object) else { throw .malformed("an object has an unknown kind") }
            return value
        }
    }

    private func number(at place: UInt64) throws(ForeignDataError) -> Int {
        guard place < UInt64(objects.count) else {
            throw .malformed("a keyed archive refers to an object that is not there")
        }
        return objects[Int(place)]
    }

    /// The names of a class and of those that it inherits from, the class itself first.
    private func classNames(_ reference: Int, _ walk: inout ReferenceWalk) throws(ForeignDataError) -> [String] {
        guard case .uid(let place) = try walk.object(reference) else {
            throw .malformed("an object of a keyed archive has no class")
        }
        if let known = walk.classNames[place] { return known }
        guard case .dictionary(let keys, let values) = try walk.object(try number(at: place)) else {
            throw .malformed("an object of a keyed archive has no class")
        }
        let fields = try ArchivedFields(keys, values, &walk)
        var names: [String] = []
        if let number = fields["$classname"], case .text(let name) = try walk.object(number) { names.append(name) }
        if let number = fields["$classes"], case .array(let numbers) = try walk.object(number) {
            for number in numbers.prefix(64) {
                guard case .text(let name) = try walk.object(number) else { continue }
                if !names.contains(name) { names.append(name) }
            }
        }
        guard !names.isEmpty else { throw .malformed("a class of a keyed archive has no name") }
        walk.classNames[place] = names
        return names
    }

    // MARK: Instances

    private func instance(
        _ fields: ArchivedFields, _ classes: [String], _ level: Int, _ walk: inout ReferenceWalk
    ) throws(ForeignDataError) -> CBORValue {
        for name in classes {
            guard let known = FoundationClass(rawValue: name) else { continue }
            if let value = try value(of: known, fields, level, &walk) { return value }
            break
        }
        // It is in each of them, and was counted where it was read, once.
        try walk.take(bytes: classes[0].utf8.count)
        return .map([.init("$class", .text(classes[0]))] + (try pairs(fields, level, &walk)))
    }

    /// The value of an instance of a class that is known; `nil` if it archived what that class doesn't.
    private func value(
        of known: FoundationClass, _ fields: ArchivedFields, _ level: Int, _ walk: inout ReferenceWalk
    ) throws(ForeignDataError) -> CBORValue? {
        switch known.kind {
        case .null: return fields.count == 0 ? .null : nil
        case .list:
            guard let numbers = try elements("NS.objects", "NS.object.", fields, &walk) else { return nil }
            return .array(try values(numbers, level, &walk))
        case .dictionary:
            // Both tables have the same fields.
            guard let table = try pairTable(fields, &walk) else { return nil }
            try walk.take(bytes: 2 * table.count)
            var pairs: [CBORValue.Pair] = []
            pairs.reserveCapacity(table.count)
            for (key, value) in table {
                pairs.append(
                    .init(try self.value(key, level + 1, &walk), try self.value(value, level + 1, &walk)))
            }
            return .map(pairs)
        case .text: return try only("NS.string", fields, level, &walk)
        case .data: return try only("NS.data", fields, level, &walk)
        case .date: return try only("NS.time", fields, level, &walk)
        case .url:
            guard fields.hasOnly(["NS.base", "NS.relative"]), let relative = fields["NS.relative"] else { return nil }
            var pairs = [CBORValue.Pair("relative", try value(relative, level + 1, &walk))]
            if let base = fields["NS.base"] {
                let value = try value(base, level + 1, &walk)
                if value != .null { pairs.append(.init("base", value)) }
            }
            return .map(pairs)
        case .uuid:
            guard case .bytes(let bytes)? = try only("NS.uuidbytes", fields, level, &walk), bytes.count == 16 else {
                return nil
            }
            return .text(Self.uuidText(bytes))
        case .decimal: return try decimal(fields, &walk)
        }
    }

    /// The value of the one field that an instance has.
    private func only(
        _ name: String, _ fields: ArchivedFields, _ level: Int, _ walk: inout ReferenceWalk
    ) throws(ForeignDataError) -> CBORValue? {
        guard fields.count == 1, let number = fields[name] else { return nil }
        return try value(number, level + 1, &walk)
    }

    /// The fields of an instance by name.
    private func pairs(
        _ fields: ArchivedFields, _ level: Int, _ walk: inout ReferenceWalk
    ) throws(ForeignDataError) -> [CBORValue.Pair] {
        var pairs: [CBORValue.Pair] = []
        for (name, number) in fields.all {
            // The archiver puts a $ before names that begin with one.
            let own = name.hasPrefix("$$") ? String(name.dropFirst()) : name
            pairs.append(.init(.text(own), try value(number, level + 1, &walk)))
        }
        return pairs
    }

    private func values(
        _ numbers: [Int], _ level: Int, _ walk: inout ReferenceWalk
    ) throws(ForeignDataError) -> [CBORValue] {
        try walk.take(bytes: numbers.count)
        var items: [CBORValue] = []
        items.reserveCapacity(numbers.count)
        for number in numbers { items.append(try value(number, level + 1, &walk)) }
        return items
    }

    /// The elements of a collection: an array, or a field for each in archives of old systems.
    private func elements(
        _ whole: String, _ each: String, _ fields: ArchivedFields, _ walk: inout ReferenceWalk
    ) throws(ForeignDataError) -> [Int]? {
        if fields.count == 1, let number = fields[whole] {
            guard case .array(let numbers) = try walk.object(number) else { return nil }
            return numbers
        }
        var numbers: [Int] = []
        while let number = fields[each + String(numbers.count)] { numbers.append(number) }
        return numbers.count == fields.count ? numbers : nil
    }

    private func pairTable(
        _ fields: ArchivedFields, _ walk: inout ReferenceWalk
    ) throws(ForeignDataError) -> [(key: Int, value: Int)]? {
        if fields.count == 2, let first = fields["NS.keys"], let second = fields["NS.objects"] {
            guard case .array(let keys) = try walk.object(first), case .array(let values) = try walk.object(second),
                keys.count == values.count
            else { return nil }
            return zip(keys, values).map { ($0, $1) }
        }
        var table: [(key: Int, value: Int)] = []
        while let key = fields["NS.key.\(table.count)"], let value = fields["NS.object.\(table.count)"] {
            table.append((key, value))
        }
        return table.count * 2 == fields.count ? table : nil
    }

    /// What `Decimal` encodes of itself: its number is its mantissa, in eight parts, times ten to the exponent.
    private func decimal(_ fields: ArchivedFields, _ walk: inout ReferenceWalk) throws(ForeignDataError) -> CBORValue? {
        var leaves: [String: CBORValue] = [:]
        for (name, number) in fields.all { leaves[name] = CBORValue(leaf: try walk.object(number)) }
        guard let exponent = leaves["NS.exponent"], let length = leaves["NS.length"],
            case .bool(let isNegative)? = leaves["NS.negative"], case .bool(let isCompact)? = leaves["NS.compact"],
            case .bytes(let mantissa)? = leaves["NS.mantissa"], mantissa.count == 16
        else { return nil }
        // The order of the bytes, as NSHostByteOrder says it.
        let isBig = leaves["NS.mantissa.bo"] == .unsigned(2)
        let parts = stride(from: 0, to: 16, by: 2).map { place -> CBORValue in
            let (first, second) = (UInt64(mantissa[place]), UInt64(mantissa[place + 1]))
            return .unsigned(isBig ? first << 8 | second : second << 8 | first)
        }
        return .map([
            .init("exponent", exponent), .init("length", length), .init("isNegative", .bool(isNegative)),
            .init("isCompact", .bool(isCompact)), .init("mantissa", .array(parts)),
        ])
    }

    /// As `UUID` encodes itself.
    private static func uuidText(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF")
        var text = ""
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text += "-" }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }
}

/// The fields of an object in an archive, without its class.
struct ArchivedFields {
    private(set) var all: [(name: String, number: Int)] = []
    private var places: [String: Int] = [:]
    /// The reference to its class.
    private(set) var `class`: Int?

    var count: Int { all.count }

    init(_ keys: [Int], _ values: [Int], _ walk: inout ReferenceWalk) throws(ForeignDataError) {
        for (key, value) in zip(keys, values) {
            guard case .text(let name) = try walk.object(key) else {
                throw .malformed("a field of a keyed archive has no name")
            }
            if name == "$class" {
                `class` = value
            } else {
                places[name] = value
                all.append((name, value))
            }
        }
    }

    subscript(name: String) -> Int? { places[name] }

    func hasOnly(_ names: Set<String>) -> Bool { all.allSatisfy { names.contains($0.name) } }
}

/// Classes of Foundation that have a counterpart among plain values.
enum FoundationClass: String {
    case NSString, NSMutableString
    case NSData, NSMutableData
    case NSDate
    case NSArray, NSMutableArray, NSSet, NSMutableSet, NSOrderedSet, NSMutableOrderedSet
    case NSDictionary, NSMutableDictionary
    case NSURL, NSUUID, NSNull
    case NSDecimalNumber

    enum Kind { case text, data, date, list, dictionary, url, uuid, null, decimal }

    var kind: Kind {
        switch self {
        case .NSString, .NSMutableString: .text
        case .NSData, .NSMutableData: .data
        case .NSDate: .date
        case .NSArray, .NSMutableArray, .NSSet, .NSMutableSet, .NSOrderedSet, .NSMutableOrderedSet: .list
        case .NSDictionary, .NSMutableDictionary: .dictionary
        case .NSURL: .url
        case .NSUUID: .uuid
        case .NSNull: .null
        case .NSDecimalNumber: .decimal
        }
    }
}
