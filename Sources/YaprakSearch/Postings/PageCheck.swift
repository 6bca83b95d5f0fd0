/// Checks pages that come from a file, in their order, for everything that readers rely on.
struct PageCheck {
    /// A page is not one that this version writes.
    struct Invalid: Error {}

    private var term: [UInt8] = []
    private var lastDocument: UInt32 = 0
    private var isFirst = true
    /// How often the term at hand stands in each document of a run.
    private var counts: [UInt32] = []

    /// Checks a page and returns its key.
    ///
    /// - Parameter values: a length for each document, or the mark of a number that is free.
    /// - Throws: ``Invalid``.
    mutating func check(_ page: UnsafeBufferPointer<UInt8>, _ values: [UInt32]) throws -> String {
        var reader = CheckedReader(bytes: page)
        var key = ""
        var isFirstOfPage = true
        while reader.at < page.count {
            let (last, lastDocument) = (term, lastDocument)
            let first = try checkRun(&reader, values, isFirstOfPage: isFirstOfPage)
            if isFirstOfPage {
                key = term.withUnsafeBufferPointer { term in
                    last.withUnsafeBufferPointer { PostingKey.string(term, first, behind: $0, lastDocument) }
                }
            }
            isFirstOfPage = false
        }
        return key
    }

    private mutating func checkRun(
        _ reader: inout CheckedReader, _ values: [UInt32], isFirstOfPage: Bool
    ) throws -> UInt32 {
        let shared = Int(try reader.byte())
        let rest = Int(try reader.byte())
        guard shared <= (isFirstOfPage ? 0 : term.count), shared + rest <= WordScanner.termBytesMax, shared + rest > 0
        else { throw Invalid() }
        let next = Array(term[..<shared]) + (try reader.bytes(rest))
        let isSame = !isFirst && next == term
        guard isFirst || isSame || term.lexicographicallyPrecedes(next), !next.contains(0),
            isSame || String(validating: next, as: UTF8.self) != nil
        else { throw Invalid() }
        // A search relies on all shared bytes being left out.
        guard isFirstOfPage || shared == term.count || rest == 0 || next[shared] != term[shared] else {
            throw Invalid()
        }
        term = next
        isFirst = false
        let count = Int(try reader.number())
        let first = try reader.number()
        guard (1...PostingRun.documentsMax).contains(count), !isSame || first > lastDocument else {
            throw Invalid()
        }
        if count == 1 {
            try checkDocument(first, values)
            try reader.checkPlaces(try occurrences(try reader.number()))
            lastDocument = first
            return first
        }
        let span = try reader.number()
        let documentBytes = Int(try reader.number())
        let positionBytes = Int(try reader.number())
        let start = reader.at
        var document = first
        var total = 0
        counts.removeAll(keepingCapacity: true)
        for index in 0..<count {
            let difference = try reader.number()
            let (next, isBeyond) = document.addingReportingOverflow(difference >> 1)
            guard !isBeyond, index == 0 ? next == first : next > document else {
                throw Invalid()
            }
            document = next
            try checkDocument(document, values)
            counts.append(try occurrences(difference & 1 == 0 ? 1 : try reader.number()))
            total += Int(counts[index])
        }
        guard reader.at == start + documentBytes, document == first &+ span, total <= Int(UInt32.max) else {
            throw Invalid()
        }
        for count in counts { try reader.checkPlaces(count) }
        guard reader.at == start + documentBytes + positionBytes else { throw Invalid() }
        lastDocument = document
        return first
    }

    private func checkDocument(_ document: UInt32, _ values: [UInt32]) throws {
        guard document < values.count, values[Int(document)] != LengthPage.freeBit else {
            throw Invalid()
        }
    }

    private func occurrences(_ count: UInt32) throws -> UInt32 {
        guard count > 0 else { throw Invalid() }
        return count
    }
}

/// Reads what may be anything.
private struct CheckedReader {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var at = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func byte() throws -> UInt8 {
        guard at < bytes.count else { throw PageCheck.Invalid() }
        defer { at += 1 }
        return bytes[at]
    }

    mutating func bytes(_ count: Int) throws -> [UInt8] {
        guard count <= bytes.count - at else { throw PageCheck.Invalid() }
        defer { at += count }
        return Array(bytes[at..<at + count])
    }

    mutating func number() throws -> UInt32 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 35, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 {
                guard value <= UInt64(UInt32.max) else { throw PageCheck.Invalid() }
                return UInt32(value)
            }
        }
        throw PageCheck.Invalid()
    }

    /// Reads the places of a term in one document: they ascend, and none is twice.
    mutating func checkPlaces(_ count: UInt32) throws {
        var last: UInt32 = 0
        for index in 0..<count {
            let (place, isBeyond) = last.addingReportingOverflow(try number())
            guard !isBeyond, place <= PostingRun.placeMax, index == 0 || place > last else {
                throw PageCheck.Invalid()
            }
            last = place
        }
    }
}
