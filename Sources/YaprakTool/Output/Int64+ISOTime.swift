import YaprakCBOR
import YaprakReplay

extension Int64 {
    /// Nanoseconds since 1970 as UTC in ISO 8601, to the millisecond: `2026-11-20T23:15:04.170Z`.
    var isoTime: String { ISOTime.text(self, fractionDigits: 3) }
}

extension ReplayCommit {
    /// When the commit was made, in ISO 8601.
    var isoTime: String { nanosecondsSince1970.isoTime }

    /// The same for programs: `time` to the millisecond, `ns` exactly, in nanoseconds since 1970.
    var timeMembers: [CBORValue.Pair] {
        [.init("time", .text(isoTime)), .init("ns", .integer(nanosecondsSince1970))]
    }
}

extension Column {
    /// The columns of a time: to the millisecond for a person, exactly for a program.
    static let time = [Column(name: "time"), Column(name: "ns", isNumber: true, isForPrograms: true)]
}
