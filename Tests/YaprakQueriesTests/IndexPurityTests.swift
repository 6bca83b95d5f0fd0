import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakTrees

@testable import YaprakExtensions

private struct Sample: Codable, Sendable {
    enum Kind: String, Codable, Sendable, IndexValue { case plain, odd }

    struct Part: Codable, Sendable {
        var size = 0
        var names: [String] = []
        var code: UUID?
    }

    var bool = false
    var int = 0
    var int8: Int8 = 0
    var int16: Int16 = 0
    var int32: Int32 = 0
    var int64: Int64 = 0
    var int128: Int128 = 0
    var uint: UInt = 0
    var uint8: UInt8 = 0
    var uint16: UInt16 = 0
    var uint32: UInt32 = 0
    var uint64: UInt64 = 0
    var uint128: UInt128 = 0
    var double = 0.0
    var string = ""
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var data = Data()
    var perhaps: Int?
    var list: [Int] = []
    var set: Set<String> = []
    var part = Part()
    var kind = Kind.plain
    var kinds: [Kind] = []
    var computed: Int { int + 1 }
    var several: [Int] { [int, int + 1] }
}

extension RecordCollection where Object == Sample, Metadata == Sample.Part {
    fileprivate static var samples: Self { Self("samples") }
}

/// An index of stored properties keeps no list of entries, and looks at no number of them: what takes memory and time where a
/// column is code.
@Suite(.bounded) struct IndexPurityTests {
    private typealias Column = IndexColumn<Sample, Sample.Part>

    private func index(_ column: Column) -> RecordIndex<Sample, Sample.Part> {
        RecordIndex("one", of: .samples, columns: column)
    }

    private func index(_ first: Column, _ second: Column) -> RecordIndex<Sample, Sample.Part> {
        RecordIndex("two", of: .samples, columns: first, second)
    }

    private func expectStored<Value: IndexColumnValue>(
        _ path: any KeyPath<Sample, Value> & Sendable, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectStored(column: .ascending(path), sourceLocation)
        expectStored(column: .descending(path), sourceLocation)
    }

    private func expectStored(column: Column, _ sourceLocation: SourceLocation = #_sourceLocation) {
        let configuration = index(column).configuration
        #expect(configuration.isPure, sourceLocation: sourceLocation)
        #expect(!configuration.remembersEntries && !configuration.mayMissEntries, sourceLocation: sourceLocation)
    }

    private func expectCode(_ column: Column, sourceLocation: SourceLocation = #_sourceLocation) {
        let int: Column = .ascending(\.int)
        for configuration in [index(column).configuration, index(int, column).configuration] {
            let isMultiple = configuration.isMultiple
            #expect(!configuration.isPure, sourceLocation: sourceLocation)
            #expect(configuration.remembersEntries == isMultiple, sourceLocation: sourceLocation)
            #expect(configuration.mayMissEntries == !isMultiple, sourceLocation: sourceLocation)
        }
    }

    @Test func `A column of a stored property is no code, whatever its type`() {
        expectStored(\.bool)
        expectStored(\.int)
        expectStored(\.int8)
        expectStored(\.int16)
        expectStored(\.int32)
        expectStored(\.int64)
        expectStored(\.int128)
        expectStored(\.uint)
        expectStored(\.uint8)
        expectStored(\.uint16)
        expectStored(\.uint32)
        expectStored(\.uint64)
        expectStored(\.uint128)
        expectStored(\.double)
        expectStored(\.string)
        expectStored(\.date)
        expectStored(\.uuid)
        expectStored(\.data)
        expectStored(\.perhaps)
        expectStored(\.list)
        expectStored(\.set)
        expectStored(\.part.size)
        expectStored(\.part.names)
        expectStored(\.part.code)
        expectStored(column: .metadata(\.size))
        expectStored(column: .metadata(\.code))
    }

    @Test func `A column of anything else is code, alone and behind another`() {
        expectCode(.ascending(\.computed))
        expectCode(.ascending(\.several))
        expectCode(.ascending(\.kind))
        expectCode(.ascending(\.kinds))
        expectCode(.ascending(\.string.count))
        expectCode(.ascending { (sample: Sample) -> Int in sample.int })
        expectCode(.ascending { (sample: Sample) -> [Int] in sample.list })
        expectCode(.metadata { (part: Sample.Part?) -> Int in part?.size ?? 0 })
        expectCode(.row { (row: Record<Sample, Sample.Part>) -> String in row.key })
    }

    @Test func `Entries are remembered of records that have some, in an index of elements with code alone`()
        async throws
    {
        let stored = index(.ascending(\.list))
        let code = index(.ascending(\.list), .ascending(\.computed))
        let database = Database.inMemory()
        try await database.register(stored)
        try await database.register(code)
        try await database.write { transaction in
            for number in 0..<10 { transaction[.samples]["k\(number)"] = Sample(list: Array(0..<number)) }
        }
        func remembered(_ index: RecordIndex<Sample, Sample.Part>) -> Int {
            database.snapshot[index].source.root.remembered.count
        }
        #expect(remembered(stored) == 0 && remembered(code) == 9)
        try await database.write { $0[.samples].remove("k5") }
        #expect(remembered(code) == 8)
    }
}
