import Foundation

/// Whether two runs of bytes are the same: `==` of a debug build asks for each byte through a table of witnesses, which
/// took most of the time of the tests that compare a database with a model.
public func haveSameBytes(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
    let same = a.withContiguousStorageIfAvailable { a in
        b.withContiguousStorageIfAvailable { b in
            a.count == b.count && (a.isEmpty || memcmp(a.baseAddress!, b.baseAddress!, a.count) == 0)
        }
    }
    return (same ?? nil) ?? a.elementsEqual(b)
}

/// The same for lists of them.
public func haveSameItems(_ a: some Collection<[UInt8]>, _ b: some Collection<[UInt8]>) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { haveSameBytes($0, $1) }
}
