import CLMDB
import Foundation

/// LMDB: a memory-mapped B+tree, one writer, readers without locks.
struct LMDBPeer {
    enum Mode: String {
        /// Pages are written into the map itself and nothing is ever synced: the least it can do.
        case writeMapWithoutSync = "LMDB writemap, no sync"
        case withoutSync = "LMDB, no sync"
        case durable = "LMDB, durable"

        var flags: Int32 {
            switch self {
            case .writeMapWithoutSync: MDB_NOSYNC | MDB_WRITEMAP
            case .withoutSync: MDB_NOSYNC
            case .durable: 0
            }
        }
    }

    private let environment: OpaquePointer
    private let table: MDB_dbi
    /// A table whose keys are (group, rank, key), if there is one.
    private var index: MDB_dbi?

    init(_ mode: Mode, in directory: String, hasIndex: Bool = false) {
        var made: OpaquePointer?
        check(mdb_env_create(&made))
        environment = made!
        if hasIndex { check(mdb_env_set_maxdbs(environment, 1)) }
        check(mdb_env_set_mapsize(environment, 8 << 30))
        check(mdb_env_open(environment, directory, UInt32(mode.flags), 0o644))
        var transaction: OpaquePointer?
        var opened: MDB_dbi = 0
        check(mdb_txn_begin(environment, nil, 0, &transaction))
        check(mdb_dbi_open(transaction, nil, 0, &opened))
        if hasIndex {
            var second: MDB_dbi = 0
            check(mdb_dbi_open(transaction, "index", UInt32(MDB_CREATE), &second))
            index = second
        }
        check(mdb_txn_commit(transaction))
        table = opened
    }

    func close() { mdb_env_close(environment) }

    @inline(__always)
    func begin(_ flags: Int32 = 0) -> OpaquePointer {
        var transaction: OpaquePointer?
        check(mdb_txn_begin(environment, nil, UInt32(flags), &transaction))
        return transaction!
    }

    @inline(__always)
    func put(_ transaction: OpaquePointer, _ key: [UInt8], _ value: [UInt8], in table: MDB_dbi? = nil) {
        key.withUnsafeBytes { key in
            value.withUnsafeBytes { value in
                var k = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress!))
                var v = MDB_val(
                    mv_size: value.count, mv_data: value.baseAddress.map(UnsafeMutableRawPointer.init(mutating:)))
                check(mdb_put(transaction, table ?? self.table, &k, &v, 0))
            }
        }
    }

    /// One byte of the value, in the map itself.
    @inline(__always)
    func byte(_ transaction: OpaquePointer, _ key: [UInt8]) -> UInt8 {
        key.withUnsafeBytes { key in
            var k = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress!))
            var v = MDB_val()
            check(mdb_get(transaction, table, &k, &v))
            return v.mv_data.load(fromByteOffset: 50, as: UInt8.self)
        }
    }

    @inline(__always)
    func commit(_ transaction: OpaquePointer) { check(mdb_txn_commit(transaction)) }
    @inline(__always)
    func abort(_ transaction: OpaquePointer) { mdb_txn_abort(transaction) }

    func fill(_ keys: [[UInt8]], _ blobs: [[UInt8]], per: Int = 1000) {
        for start in stride(from: 0, to: keys.count, by: per) {
            let transaction = begin()
            for i in start..<min(keys.count, start + per) { put(transaction, keys[i], blobs[i]) }
            commit(transaction)
        }
    }

    /// Fills the table, and the index with an entry for each row.
    func fill(_ keys: [[UInt8]], _ blobs: [[UInt8]], entries: [[UInt8]], per: Int = 1000) {
        for start in stride(from: 0, to: keys.count, by: per) {
            let transaction = begin()
            for i in start..<min(keys.count, start + per) {
                put(transaction, keys[i], blobs[i])
                put(transaction, entries[i], [], in: index)
            }
            commit(transaction)
        }
    }

    /// Reads all probes, in one transaction or in one each.
    func read(_ probes: [[UInt8]], each: Bool = false) {
        let transaction = begin(Int32(MDB_RDONLY))
        defer { abort(transaction) }
        if !each {
            for key in probes { sink &+= UInt64(byte(transaction, key)) }
            return
        }
        for key in probes {
            // A program that reads often keeps its transaction's slot: reset and renew, the cheapest LMDB has.
            mdb_txn_reset(transaction)
            check(mdb_txn_renew(transaction))
            sink &+= UInt64(byte(transaction, key))
        }
    }

    /// Reads all probes, each in a transaction begun and ended for it.
    func readBeginningAnew(_ probes: [[UInt8]]) {
        for key in probes {
            let transaction = begin(Int32(MDB_RDONLY))
            sink &+= UInt64(byte(transaction, key))
            abort(transaction)
        }
    }

    /// Replaces rows, one in each transaction.
    func update(_ keys: ArraySlice<[UInt8]>, _ blobs: [[UInt8]]) {
        for (i, key) in keys.enumerated() {
            let transaction = begin()
            put(transaction, key, blobs[i % blobs.count])
            commit(transaction)
        }
    }
}

@inline(__always)
private func check(_ code: Int32) {
    if code != 0 { fatalError("lmdb: " + String(cString: mdb_strerror(code))) }
}
