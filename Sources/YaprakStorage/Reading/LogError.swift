internal import YaprakModel

/// The errors about unreadable files of a database.
enum LogError {
    /// The header, or throws an error that names the file.
    static func proven(_ header: Result<FileHeader, HeaderDamage>, _ name: FileName) throws -> FileHeader {
        switch header {
        case .success(let proven): return proven
        case .failure(.newer(let what)):
            throw DatabaseError(
                .newerFormat, "\(name.path(.segment)): \(what). Open it with that version.",
                place: .init(file: name.path(.segment)))
        case .failure(let damage):
            throw DatabaseError(
                .corruptLog, "\(name.path(.segment)): \(damage.sentence). Run `yaprak verify`.",
                place: .init(file: name.path(.segment), offset: 0))
        }
    }

    static func lost(
        _ numbers: ClosedRange<UInt64>, in name: FileName, at offset: UInt64, _ what: String
    ) -> DatabaseError {
        DatabaseError(
            .corruptLog,
            "\(name.path(.segment)), offset \(offset): \(what). \(numbers.commitsSentence("was", "were")) durable and "
                + "can't be read. Run `yaprak verify`, then restore a backup.",
            place: .init(
                file: name.path(.segment), offset: offset,
                commits: CommitNumber(numbers.lowerBound)...CommitNumber(numbers.upperBound)))
    }

    /// Commits that a repair could not read: the mark in the header of the segment after them says so.
    static func hole(_ numbers: ClosedRange<UInt64>, before name: FileName) -> DatabaseError {
        DatabaseError(
            .corruptLog,
            "\(missing(numbers)) The next checkpoint after that leads to later states; a backup may have those between.",
            place: .init(
                file: name.path(.segment), offset: 0,
                commits: CommitNumber(numbers.lowerBound)...CommitNumber(numbers.upperBound)))
    }

    static func missing(_ numbers: ClosedRange<UInt64>) -> String {
        let those = numbers.lowerBound == numbers.upperBound ? "it" : "them"
        let are = numbers.commitsSentence("is", "are")
        return "\(are) missing: the repair that made this database could not read \(those)."
    }

    /// A frame that only a newer version understands.
    static func newer(_ what: String, in file: String, at offset: UInt64) -> DatabaseError {
        DatabaseError(
            .newerFormat, "\(file), offset \(offset): \(what). Open it with that version.",
            place: .init(file: file, offset: offset))
    }

    static func corrupt(_ name: FileName, at offset: UInt64, _ what: String) -> DatabaseError {
        DatabaseError(
            .corruptLog,
            "\(name.path(.segment)), offset \(offset): \(what). Run `yaprak verify`, then restore a backup.",
            place: .init(file: name.path(.segment), offset: offset))
    }

    static func checkpoint(_ name: FileName, _ failure: CheckpointProof.Failure) -> DatabaseError {
        let file = name.path(.checkpoint)
        if failure.isNewer { return newer(failure.what, in: file, at: failure.offset) }
        return DatabaseError(
            .corruptCheckpoint, "\(file), offset \(failure.offset): \(failure.what). Run `yaprak verify`.",
            place: .init(file: file, offset: failure.offset))
    }
}
