public import YaprakModel
import YaprakStorage

extension ReplayReader {
    /// The commit at a position; 0 stands for the empty database before the first.
    ///
    ///     let number = try reader.commitNumber(at: LogPosition("@{10 minutes ago}"))
    ///
    /// A commit that has a number here exists. Whether its state can still be rebuilt is a different question: retention
    /// decides how far back the files reach.
    /// - Throws: `commitOutOfReach` if there is no such commit; `notFound` if there is no such tag; `corruptTags`,
    ///   `corruptLog`, `newerFormat`, `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: as ``newestCommitNumber()``; of a time as ``commitNumber(atOrBefore:)``.
    public func commitNumber(at position: LogPosition) throws(DatabaseError) -> CommitNumber {
        let base =
            switch position.base {
            case .newest: try newestCommitNumber()
            case .number(let number): try existing(number, position)
            case .time(let time): try number(at: time, position)
            case .tag(let name): try existing(try number(of: name), position)
            }
        guard position.back <= base.rawValue else {
            let lead = base.rawValue.word("commit leads", "commits lead")
            throw DatabaseError(
                .commitOutOfReach, "\(position) is before the beginning: only \(base) \(lead) there.",
                place: .init(commits: 0...base))
        }
        return CommitNumber(base.rawValue - position.back)
    }

    /// The commits of a range, or `nil` if there are none in it.
    ///
    /// The beginning is the oldest commit in the log if none is given; a given one is not checked,
    /// whether the log reaches back that far or not.
    /// - Throws: as ``commitNumber(at:)``. - Complexity: as that.
    public func commitNumbers(in range: LogRange) throws(DatabaseError) -> ClosedRange<CommitNumber>? {
        let last =
            if let position = range.through { try commitNumber(at: position) } else { try newestCommitNumber() }
        let first: CommitNumber
        if let position = range.after {
            first = try commitNumber(at: position).next()
        } else {
            guard let oldest = try oldestCommitNumber() else { return nil }
            first = oldest
        }
        return first <= last ? first...last : nil
    }

    /// The newest commit that was made at or before a time, by the clock of the program that made it.
    ///
    /// Clocks are set back now and then, so commits need not be in the order of their times. What is promised: no later
    /// commit has a time at or before the one asked for. That is the commit which the log, read from its end, comes to
    /// first. Where the clock was set back before or after the commit found, other commits may have been made at that time,
    /// too: the log has only what the clock said, not the true time.
    ///
    /// - Parameter nanoseconds: the time, since 1970.
    /// - Returns: 0 if all commits are later and the log reaches back to the first.
    /// - Throws: `commitOutOfReach` if all commits in the log are later and it does not reach back to the first, or if there is
    ///   only a checkpoint, and that is later;
    ///   `corruptLog`, `newerFormat`, `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: O(bytes of the log after that commit). A search by halves would be wrong: times are not sorted.
    public func commitNumber(atOrBefore nanoseconds: Int64) throws(DatabaseError) -> CommitNumber {
        try search(atOrBefore: nanoseconds).number
    }

    /// The result of the search for a time, and what makes it doubtful.
    private struct TimeSearch {
        var number: CommitNumber
        /// A commit whose clock was ahead of the next one's, the nearest to the answer that was met.
        var jump: ReplayCommit?
        /// When the newest commit was made.
        var newest: Int64?
    }

    private func search(atOrBefore nanoseconds: Int64) throws(DatabaseError) -> TimeSearch {
        guard let oldest = try oldestCommitNumber() else { return try searchWithoutLog(atOrBefore: nanoseconds) }
        var commits = try commitsBackwards(from: oldest).makeAsyncIterator()
        var search = TimeSearch(number: 0)
        var later: Int64?
        func note(_ commit: ReplayCommit) {
            let time = commit.nanosecondsSince1970
            if let later, later < time { search.jump = commit }
            search.newest = search.newest ?? time
            later = time
        }
        while let commit = try commits.next() {
            note(commit)
            guard commit.nanosecondsSince1970 <= nanoseconds else { continue }
            search.number = commit.commitNumber
            // One more: it may have been made later, by a clock that was ahead.
            if let before = try commits.next() { note(before) }
            return search
        }
        guard oldest <= 1 else {
            throw DatabaseError(
                .commitOutOfReach,
                "Every commit in the log was made later, and it starts with commit \(oldest): what was before is gone.",
                place: .init(commits: oldest...oldest))
        }
        return search
    }

    /// The same where a checkpoint is all there is, as in a backup: its commit was made before it.
    private func searchWithoutLog(atOrBefore nanoseconds: Int64) throws(DatabaseError) -> TimeSearch {
        let newest = try newestCommitNumber()
        if newest > 0, let created = try store.checkpoint(atOrBefore: newest)?.createdNs, created > nanoseconds {
            throw DatabaseError(
                .commitOutOfReach,
                """
                There are no commits in the log, and the checkpoint with commit \(newest) was made at \
                \(ISOTime.text(created)): what was before is gone.
                """, place: .init(commits: newest...newest))
        }
        return TimeSearch(number: newest)
    }

    /// The commit at a time; warns of clocks that make it doubtful.
    private func number(at time: LogTime, _ position: LogPosition) throws(DatabaseError) -> CommitNumber {
        let now = clock()
        let answer = try search(atOrBefore: time.lastNanosecondsSince1970(now: now))
        if let jump = answer.jump {
            warn(
                "the clock was set back after commit \(jump.commitNumber), which says "
                    + "\(ISOTime.text(jump.nanosecondsSince1970)): \(position) is taken for commit \(answer.number), and "
                    + "others may have been made at that time. `yaprak log` shows the times."
            )
        } else if time.isRelative, let newest = answer.newest, newest > now {
            warn(
                "the newest commit says \(ISOTime.text(newest)), and now it is \(ISOTime.text(now)): a clock was "
                    + "set back, or is ahead. \(position) is taken for commit \(answer.number). `yaprak log` shows the "
                    + "times."
            )
        }
        return answer.number
    }

    private func existing(_ number: CommitNumber, _ position: LogPosition) throws(DatabaseError) -> CommitNumber {
        let newest = try newestCommitNumber()
        guard number <= newest else {
            throw DatabaseError(
                .commitOutOfReach,
                "There is no commit \(number)\(position.isTag ? ", where the tag points" : ""); the newest is \(newest).",
                place: .init(commits: newest...number))
        }
        return number
    }

    private func number(of name: LogTag.Name) throws(DatabaseError) -> CommitNumber {
        guard let number = try store.tagFile().map({ bytes throws(DatabaseError) in try TagList(bytes)[name] }) ?? nil
        else {
            throw DatabaseError(
                .notFound,
                "There is no tag \(quoted(name.description)). Run `yaprak tag` to see those there are; commits are "
                    + "written 42, @~3 or @{10 minutes ago}."
            )
        }
        return number
    }
}

extension LogPosition {
    fileprivate var isTag: Bool { if case .tag = base { true } else { false } }
}
