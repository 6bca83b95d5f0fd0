#if Inspector
    import Yaprak
    import YaprakReplay

    extension ReplayRecord {
        /// The bytes of the object and of the metadata.
        var byteCount: Int { objectBytes.count + (metadataBytes?.count ?? 0) }
    }

    extension ReplayChange {
        /// The bytes of the record before and after.
        var byteCount: Int { (before?.byteCount ?? 0) + (after?.byteCount ?? 0) }
    }
#endif
