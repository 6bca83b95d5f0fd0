import Foundation
import SystemPackage
import Yaprak
import YaprakInspector

/// Makes a long log, for measurements of what reads it: parcels that go from depot to depot, a commit for each step, and a
/// view of them that the log follows commit by commit. All of the log is kept.
///
/// `fill` ends when the log has so many commits. `rush` goes on at full speed, and says on standard output each tenth of a
/// second how far it is and how long it has been writing, until its standard input ends. `inspected` is `rush` with the inspector
/// in the same program; its address is said first.
struct Filling {
    enum Mode: Sendable {
        case fill(through: UInt64)
        case rush(isInspected: Bool)
    }

    struct Parcel: Codable, Sendable {
        var depot: String
        var rank: Int
        var weight: Int
        var note: String
    }

    static let parcels = RecordCollection<Parcel, NoMetadata>("parcels")
    static let byDepot = AutoView(
        "by depot", versionTag: "1", of: parcels, groupedBy: \.depot, sortedBy: \.rank, persistence: .everyCommit)
    /// So many parcels are on their way at a time, and so many depots are there.
    static let parcelsMax = 10_000, depots = 20

    let path: FilePath
    let mode: Mode

    func run() async throws {
        var options = DatabaseOptions()
        options.durability = .relaxed
        options.retention = .all
        let database = try await Database.open(at: path, options: options, collections: Self.parcels)
        try await database.register(Self.byDepot)
        switch mode {
        case .fill(let last):
            while database.commitNumber.rawValue < last { try await step(database) }
            print("filled through commit \(database.commitNumber)")
        case .rush(let isInspected):
            if isInspected { inspect(database) }
            try await rush(database)
        }
        try await database.close()
    }

    private func inspect(_ database: Database) {
        #if Inspector
            Task.detached {
                try await Inspector(database).run {
                    FileHandle.standardOutput.write(Data("Inspector: \($0)\n".utf8))
                }
            }
        #else
            preconditionFailure("built without the trait Inspector")
        #endif
    }

    private func rush(_ database: Database) async throws {
        // Standard input ends with the program that measures.
        Thread.detachNewThread {
            while FileHandle.standardInput.availableData.count > 0 {}
            exit(0)
        }
        let start = ContinuousClock.now
        var said = start
        while true {
            let number = try await step(database)
            let now = ContinuousClock.now
            guard now - said > .milliseconds(100) else { continue }
            said = now
            FileHandle.standardOutput.write(Data("\(number) \((now - start) / .seconds(1))\n".utf8))
        }
    }

    /// A parcel goes on to the next depot. What changes follows from the number of the commit alone.
    @discardableResult
    private func step(_ database: Database) async throws -> UInt64 {
        try await database.write(origin: "depot") { transaction in
            let number = transaction.commitNumber.rawValue
            // A multiplication by an odd number spreads consecutive numbers over all parcels.
            let spread = (number &* 0x9e37_79b9_7f4a_7c15) >> 20
            transaction[Self.parcels]["parcel \(spread % UInt64(Self.parcelsMax))"] = Parcel(
                depot: "depot \(spread >> 16 % UInt64(Self.depots))", rank: Int(spread >> 8 % 1000),
                weight: Int(number % 500), note: "left with commit \(number)")
            return number
        }
    }
}
