internal import YaprakModel

extension FileHeader {
    /// The segment that was the newest when this checkpoint was made, where neither that nor a later one is left: the log
    /// behind the checkpoint was lost. `nil` where there is one.
    ///
    /// A checkpoint of the database this was forked from may name a segment that begins behind the fork.
    func missingSegment(_ segments: [FileName], of lineage: Lineage?) -> FileName? {
        guard previousEpoch > 0, databaseID == lineage?.id else { return nil }
        let named = FileName(first: previousFirst, epoch: previousEpoch)
        if let newest = segments.last, newest >= named { return nil }
        return named
    }
}
