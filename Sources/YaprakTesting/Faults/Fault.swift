internal import SystemPackage
internal import YaprakModel
internal import YaprakSimulator
internal import YaprakStorage

/// Something that goes wrong with a ``SimulatedDisk``.
///
///     disk.plan(.syncFails(nth: 3))
///     disk.plan(.diskFull(afterBytes: 10_000))
///
/// Calls are counted from the moment of the plan. What the database then throws is what it throws for a real disk: see
/// *When the disk fails* on the page *Durability and recovery*.
public struct Fault: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case call(DiskError.Operation, nth: Int, MemoryFileSystem.FaultEffect, forever: Bool)
        case space(Int)
        case delay(Duration)
        case power(Int)
        case encoding(collection: String?, key: String?, nth: Int, forever: Bool)
    }

    let kind: Kind
    /// What goes wrong, as a line of text.
    public let description: String

    private init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    private static func words(_ what: String, _ nth: Int, _ forever: Bool) -> String {
        "\(what) \(nth)\(forever ? " and all after it" : "")"
    }

    /// A write to a file fails and writes nothing: `writeFailed`. Later writes of the database succeed again.
    ///
    /// - Parameters:
    ///   - nth: which write; 1, or less, is the next.
    ///   - forever: whether all writes after it fail, too.
    public static func writeFails(nth: Int = 1, forever: Bool = false) -> Fault {
        Fault(.call(.write, nth: nth, .error(.ioError), forever: forever), words("fail write", nth, forever))
    }

    /// A write to a file writes half of its bytes, as the system allows.
    ///
    /// - Parameter nth: which write; 1, or less, is the next.
    public static func writeIsShort(nth: Int = 1) -> Fault {
        Fault(.call(.write, nth: nth, .short, forever: false), words("shorten write", nth, false))
    }

    /// A sync of what was written to the log fails, and what it should have made durable is lost: `syncFailed`, and the
    /// database is read-only. The syncs that end a checkpoint or begin a file are not counted.
    ///
    /// - Parameters:
    ///   - nth: which sync; 1, or less, is the next.
    ///   - forever: whether all syncs after it fail, too.
    public static func syncFails(nth: Int = 1, forever: Bool = false) -> Fault {
        Fault(.call(.syncData, nth: nth, .error(.ioError), forever: forever), words("fail sync", nth, forever))
    }

    /// A sync of what was written to the log reports success and does nothing, as some devices do. A power cut then shows
    /// it. Counts as ``syncFails(nth:forever:)``.
    ///
    /// - Parameters:
    ///   - nth: which sync; 1, or less, is the next.
    ///   - forever: whether all syncs after it lie, too.
    public static func syncLies(nth: Int = 1, forever: Bool = false) -> Fault {
        Fault(.call(.syncData, nth: nth, .lie, forever: forever), words("ignore sync", nth, forever))
    }

    /// The disk has room for so many bytes more: `diskFull`. ``SimulatedDisk/heal()`` makes room again.
    ///
    /// The log takes space in steps before it needs it, and writes into what it has when the next step fails.
    public static func diskFull(afterBytes bytes: Int) -> Fault {
        Fault(.space(bytes), "full after \(bytes) \(bytes.word("byte"))")
    }

    /// Each write and each sync takes so long.
    ///
    /// In a ``SeededRun`` its clock moves instead, and nobody waits.
    public static func slow(_ duration: Duration) -> Fault { Fault(.delay(duration), "each call takes \(duration)") }

    /// The power goes off after so many calls that change the disk: every later call fails and does nothing.
    ///
    /// Go on with ``SimulatedDisk/afterPowerCut(_:)``.
    public static func powerCut(afterChanges changes: Int) -> Fault {
        Fault(.power(changes), "power off after \(changes) \(changes.word("change"))")
    }

    /// A record does not encode: `encodingFailed`, and nothing of its write is kept.
    ///
    /// Checkpoints encode records, too, those of `checkpoint()` and those that the engine writes by itself: nothing of the
    /// checkpoint is kept, and the log keeps everything. Backups are not asked.
    /// - Parameters:
    ///   - name: the name of the collection; any if `nil`.
    ///   - key: the key of the record; any if `nil`.
    ///   - nth: which of the values that fit; 1, or less, is the next. The metadata of a record is a value of its own.
    ///   - forever: whether all after it fail, too.
    public static func encodingFails(
        inCollectionNamed name: String? = nil, key: String? = nil, nth: Int = 1, forever: Bool = false
    ) -> Fault {
        let place = [name, key].compactMap { $0 }.joined(separator: "/")
        return Fault(
            .encoding(collection: name, key: key, nth: nth, forever: forever),
            words("fail encoding\(place.isEmpty ? "" : " of \(place)"),", nth, forever))
    }
}
