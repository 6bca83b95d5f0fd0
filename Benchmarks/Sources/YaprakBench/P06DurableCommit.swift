import CHelpers
import Foundation
import SystemPackage
import Yaprak

extension Measure {
    /// P6: a durable commit, one writer.
    static var durableCommit: Measure {
        Measure(id: "P6") { settings, report in
            let n = min(settings.rows, 10_000)
            let operations = settings.isQuick ? 100 : 300
            let keys = KeyShape.random.keys(n)
            let items = Item.make(n)
            let blobs = (0..<n).map(blob)
            let data = blobs.map { Data($0) }
            let bytes = keys.map { Array($0.utf8) }

            let path = try settings.freshDirectory("yaprak") + "/durable.yaprak"
            let database = try await Database.open(at: FilePath(path), collections: .items)
            try await database.fill(keys, items)
            let grdb = try GRDBPeer(.full, in: try settings.freshDirectory("grdb"))
            try grdb.fill(keys, data)
            let lmdb = LMDBPeer(.durable, in: try settings.freshDirectory("lmdb"))
            lmdb.fill(bytes, blobs)
            let log = try BareLog(at: settings.freshDirectory("bare") + "/log")
            let awaited = AwaitedLog(try BareLog(at: settings.freshDirectory("awaited") + "/log", ahead: 1 << 20))

            var salt = 0
            var syncs = 0.0
            var written = 0.0
            let series = try await interleave(
                [
                    Contender(name: "Yaprak") {
                        salt += 1
                        let (syncsBefore, writtenBefore) = (ch_syncs(), ch_bytes_written())
                        let cost = try await time(operations) {
                            for i in 0..<operations {
                                let item = items[(i + salt) % n]
                                try await database.write { $0[.items][keys[i]] = item }
                            }
                        }
                        syncs = Double(ch_syncs() - syncsBefore) / Double(operations)
                        written = Double(ch_bytes_written() - writtenBefore) / Double(operations)
                        return cost
                    },
                    Contender(name: "append of 128 B and fdatasync") {
                        time(operations) { log.append(128, times: operations) }
                    },
                    Contender(name: "GRDB, WAL FULL") {
                        try time(operations) { try grdb.update(keys[..<operations], data, salt: salt) }
                    },
                    Contender(name: "LMDB, durable") { time(operations) { lmdb.update(bytes[..<operations], blobs) } },
                    Contender(name: "a task that awaits a thread that appends and syncs") {
                        await time(operations) { for _ in 0..<operations { await awaited.append() } }
                    },
                ], runs: settings.runs)
            lmdb.close()
            awaited.end()
            try await database.close()

            for (peer, target) in zip(series.dropFirst(), [Target.atMost(1), .atMost(1), .atMost(0.65)]) {
                report.compare("P6", "durable commit, one writer", series[0], peer, target, bound: series[4])
            }
            report.compare("P6", "durable commit, one writer", series[0], series[4], .none)
            if ch_counts() != 0 {
                report.hold("P6", "syncs per commit, one writer", syncs, atMost: 1.05)
                report.hold("P6", "bytes written per commit, one writer", written, unit: .bytes)
            }
        }
    }
}

/// A file that grows by a write and a sync: the least a durable commit can cost on a thread that may block.
private final class BareLog: @unchecked Sendable {
    private let file: Int32
    private let ahead: Int
    private var offset = 0

    /// - Parameter ahead: bytes that are allocated before they are written, again and again.
    init(at path: String, ahead: Int = 0) throws {
        file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0o644)
        guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
        self.ahead = ahead
    }

    deinit { close(file) }

    func append(_ count: Int, times: Int) {
        let bytes = [UInt8](repeating: 7, count: count)
        for _ in 0..<times {
            #if canImport(Darwin)
                precondition(pwrite(file, bytes, count, off_t(offset)) == count)
                precondition(fcntl(file, F_FULLFSYNC) == 0)
            #else
                if ahead > 0, offset % ahead == 0 {
                    precondition(posix_fallocate(file, 0, off_t(offset + ahead)) == 0)
                }
                precondition(pwrite(file, bytes, count, off_t(offset)) == count)
                precondition(fdatasync(file) == 0)
            #endif
            offset += count
        }
    }
}

/// The least that a durable commit costs a task, which may not block its thread: another thread appends a sector and syncs, and
/// resumes it.
private final class AwaitedLog: @unchecked Sendable {
    private let condition = NSCondition()
    private var waiting: CheckedContinuation<Void, Never>?
    private var isEnded = false

    init(_ log: BareLog) {
        Thread.detachNewThread { [self] in
            while let next = next() {
                log.append(512, times: 1)
                next.resume()
            }
        }
    }

    func append() async {
        await withCheckedContinuation { continuation in
            condition.withLock {
                waiting = continuation
                condition.signal()
            }
        }
    }

    func end() {
        condition.withLock {
            isEnded = true
            condition.signal()
        }
    }

    private func next() -> CheckedContinuation<Void, Never>? {
        condition.withLock {
            while waiting == nil, !isEnded { condition.wait() }
            defer { waiting = nil }
            return waiting
        }
    }
}
