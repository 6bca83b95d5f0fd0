import YaprakCBOR
public import YaprakCore
import YaprakModel
import YaprakStorage

/// A number that two databases have in common if they hold the same records.
///
///     #expect(try reader.snapshot(at: 42).digest == before.digest)
///
/// It depends on collections, keys, bytes of objects and metadata, and versions; not on the commit, on how the trees are
/// laid out, or on the order in which records came. A record of a type has the bytes it would be written with now: those that
/// were read, unless it was migrated, has properties that came later, or its coder makes other bytes each time. The digest has
/// 64 bits: different records have different digests except by chance. It does not resist an attacker.
public struct SnapshotDigest: Sendable, Hashable {
    /// The number.
    public let value: UInt64

    /// The digest with this number.
    public init(_ value: UInt64) { self.value = value }
}

extension SnapshotDigest: LosslessStringConvertible, ExpressibleByStringLiteral {
    /// The number in sixteen hexadecimal digits.
    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The digest of sixteen hexadecimal digits; `nil` for anything else.
    public init?(_ description: String) {
        guard description.utf8.count == 16, description.allSatisfy(\.isHexDigit),
            let value = UInt64(description, radix: 16)
        else { return nil }
        self.init(value)
    }

    /// The digest of sixteen hexadecimal digits, for tests.
    /// - Precondition: it is one.
    public init(stringLiteral value: String) {
        guard let digest = SnapshotDigest(value) else {
            preconditionFailure("a digest has sixteen hexadecimal digits, unlike \(value)")
        }
        self = digest
    }
}

extension Snapshot {
    /// The digest of all records.
    /// - Complexity: O(bytes).
    public var digest: SnapshotDigest {
        let writer = CBORWriter()
        var sum: UInt64 = 0
        for name in collectionNames {
            let seed = Array(name.utf8).withUnsafeBytes { XXH64.hash($0, seed: 0) }
            for record in untyped(name) {
                writer.removeAll()
                writer.writeArrayHead(count: 4)
                writer.write(text: record.key)
                record.objectBytes.withUnsafeBytes { writer.write(encoded: $0) }
                if let metadata = record.metadataBytes {
                    metadata.withUnsafeBytes { writer.write(encoded: $0) }
                } else {
                    writer.writeUndefined()
                }
                writer.write(integer: Int64(record.version))
                // A sum, so that the order of the records does not count.
                sum &+= writer.withBytes { XXH64.hash($0, seed: seed) }
            }
        }
        return SnapshotDigest(sum)
    }
}
