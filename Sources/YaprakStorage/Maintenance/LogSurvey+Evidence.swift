extension LogSurvey {
    /// What other files say about the segments of a log.
    struct Evidence {
        /// The newest commit that they prove to have been durable.
        var proven: UInt64 = 0
        /// The segments that only a copy has, and the first commit that each of them says nothing about.
        var borrowed: [FileName: UInt64] = [:]
        /// The newest segment that they name, whether it is there or not.
        private(set) var newestSegment: FileName?

        /// The mark of the last clean close.
        private let closing: ClosingMark?
        /// The newest commit that was in a segment when a checkpoint was begun.
        private var states: [FileName: UInt64] = [:]

        /// A checkpoint proves the commits up to its own by its header, though the rest of it be damaged.
        ///
        /// - Complexity: O(number of checkpoints), and O(bytes of those that a copy has, too).
        init(_ checkpoints: [FileName], in directory: any Directory, _ lineage: Lineage, _ closing: ClosingMark?) {
            self.closing = closing?.database == lineage.id ? closing : nil
            newestSegment = self.closing?.segment
            for name in checkpoints {
                guard let (file, result) = try? DatabaseDirectory.open(name, .checkpoint, in: directory) else {
                    continue
                }
                try? file.close()
                guard let header = try? result.get(), lineage.accepts(header) else { continue }
                proven = max(proven, header.first)
                // A checkpoint of the database that this was forked from may name a segment behind the fork.
                guard header.databaseID == lineage.id, header.previousEpoch > 0 else { continue }
                states[header.previous] = max(states[header.previous] ?? 0, header.first)
                newestSegment = max(newestSegment ?? header.previous, header.previous)
            }
        }

        /// Whether the next frame of a segment was written before the segment ended.
        func proves(_ reader: SegmentReader, _ name: FileName) -> Bool {
            if let closing, closing.names(name, reader.header), reader.offset < closing.end { return true }
            return states[name].map { $0 >= reader.next } ?? false
        }
    }
}
