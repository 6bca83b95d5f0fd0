#if Inspector
    import Yaprak
    import YaprakReplay

    /// Groups of rows that can be counted: those of a view.
    protocol CountedGroups {
        /// In ascending order of their bytes.
        var groupNames: [String] { get }
        func count(ofGroup name: String) -> Int
    }

    extension UntypedView: CountedGroups {}

    /// The groups of a view that have another number of rows in one state than in another.
    struct GroupDifferences {
        struct Difference: Equatable {
            let name: String
            let before: Int
            let after: Int
        }

        /// How many are kept.
        static let most = 12

        /// The first ``most`` of them, in ascending order of the bytes of their names.
        private(set) var first: [Difference] = []
        /// How many there are in all.
        private(set) var count = 0

        /// Goes through the names of both side by side: there may be millions, and none need differ.
        ///
        /// - Parameter check: is called before each group; what it throws ends the work.
        /// - Complexity: O(*groups* · log *groups*).
        init(
            from before: some CountedGroups, to after: some CountedGroups, checking check: () throws -> Void
        ) rethrows {
            let old = before.groupNames, new = after.groupNames
            var i = 0, j = 0
            while i < old.count || j < new.count {
                try check()
                // By their bytes, which say whether two groups are the same.
                let isOld = j == new.count || i < old.count && !new[j].utf8.lexicographicallyPrecedes(old[i].utf8)
                let isNew = i == old.count || j < new.count && !old[i].utf8.lexicographicallyPrecedes(new[j].utf8)
                let name = isOld ? old[i] : new[j]
                let oldCount = isOld ? before.count(ofGroup: name) : 0
                let newCount = isNew ? after.count(ofGroup: name) : 0
                if isOld { i += 1 }
                if isNew { j += 1 }
                if oldCount == newCount { continue }
                count += 1
                if first.count < Self.most { first.append(.init(name: name, before: oldCount, after: newCount)) }
            }
        }
    }
#endif
