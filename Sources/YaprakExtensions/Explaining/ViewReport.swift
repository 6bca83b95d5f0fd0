import YaprakCore
import YaprakModel
import YaprakTrees

/// What is wrong with a view, if anything is.
///
/// A closure that returns something else each time it runs can make rows misplaced or missing, since it does not run
/// again until the record changes. The other faults can't happen, and are checked all the same.
package struct ViewReport: Sendable {
    /// Rows that do not come after the row before them.
    package var misplaced: [(group: String, index: Int)] = []
    /// Rows whose record is gone, or has another value.
    package var ghosts: [RowID] = []
    /// Rows whose places and groups disagree: noted in a group that does not have them, or the other way round.
    package var strays: [RowID] = []
    /// Records that are not where closures would put them now. Checked only where closures may run.
    package var misjudged: [RowID] = []
    /// Whether closures were asked: those of a view of records, and of a filter whose parent is given.
    package var askedClosures = false
    /// What is wrong with the trees themselves.
    package var violations: [String] = []

    /// Nothing is broken; rows may be misplaced.
    package var isIntact: Bool { ghosts.isEmpty && strays.isEmpty && violations.isEmpty }
    /// Nothing is wrong.
    package var isSound: Bool { isIntact && misplaced.isEmpty && misjudged.isEmpty }
}

extension ViewState {
    /// Looks at every row of the view, and at every record if closures may be asked. O(*n* log *n*).
    ///
    /// - Parameter parent: the view that this one filters, for the question which of its rows are missing.
    package func verify(askingClosures: Bool = true, parent: ViewState? = nil) -> ViewReport {
        withExtendedLifetime(snapshot) {
            var report = ViewReport()
            verifyGroups(&report)
            verifyPlaces(&report)
            if askingClosures {
                if let configuration = root.configuration as? AutoConfiguration {
                    ask(configuration, &report)
                    report.askedClosures = true
                }
                if let configuration = root.configuration as? FilterConfiguration, let parent {
                    ask(configuration, parent, &report)
                    report.askedClosures = true
                }
            }
            return report
        }
    }

    private func verifyGroups(_ report: inout ViewReport) {
        let order = root.configuration.order
        if let violation = root.groups.firstViolation() { report.violations.append("groups: \(violation)") }
        var count = 0
        root.groups.forEach { row in
            let group = unsafeDowncast(row, to: GroupRow.self)
            let rows = group.rows
            if rows.isEmpty { report.violations.append("group \(group.key) has no rows") }
            if let violation = rows.firstViolation() { report.violations.append("group \(group.key): \(violation)") }
            count += rows.count
            var last: Placement?
            var index = 0
            rows.forEach { next in
                let placement = unsafeDowncast(next, to: Placement.self)
                if let last, order.compare(last, placement) >= 0 { report.misplaced.append((group.key, index)) }
                let types = root.configuration.collections[placement.collection]
                if root.configuration.rowsAreRecords,
                    snapshot.box(forKey: placement.key, in: types) !== placement.record
                {
                    report.ghosts.append(placement.row)
                }
                if root.place(of: placement.row)?.placement(inGroup: group.key) !== placement {
                    report.strays.append(placement.row)
                }
                last = placement
                index += 1
            }
        }
        if count != root.count { report.violations.append("\(count.counted("row")), \(root.count.grouped) counted") }
    }

    private func verifyPlaces(_ report: inout ViewReport) {
        var count = 0
        for (collection, places) in root.places.enumerated() {
            if let violation = places.firstViolation() { report.violations.append("places: \(violation)") }
            places.forEach { row in
                let all = unsafeDowncast(row, to: PlaceRow.self).all
                count += all.count
                for placement in all {
                    if placement.collection != collection || root.index(of: placement) == nil {
                        report.strays.append(placement.row)
                    }
                }
            }
        }
        if count != root.count { report.violations.append("\(count.counted("place")), \(root.count.counted("row"))") }
    }

    private func ask(_ configuration: AutoConfiguration, _ report: inout ViewReport) {
        for (collection, types) in configuration.collections.enumerated() {
            snapshot.tree(of: types).forEach { row in
                let wanted = configuration.placements(of: unsafeDowncast(row, to: RecordBox.self), collection)
                let id = RowID(collection: collection, key: row.keyString)
                let placed = placements(of: id)
                let agree =
                    wanted.count == placed.count
                    && wanted.allSatisfy { wanted in
                        placed.contains {
                            $0.group == wanted.group && configuration.order.haveSameSortKey($0, wanted)
                        }
                    }
                if !agree { report.misjudged.append(id) }
            }
        }
    }

    private func ask(_ configuration: FilterConfiguration, _ parent: ViewState, _ report: inout ViewReport) {
        for name in Set(groupNames + parent.groupNames) {
            var wanted: [RowID] = []
            parent.rows(ofGroup: name).forEach { row in
                let placement = unsafeDowncast(row, to: Placement.self)
                if configuration.accepts(placement) { wanted.append(placement.row) }
            }
            var placed: [RowID] = []
            rows(ofGroup: name).forEach { placed.append(unsafeDowncast($0, to: Placement.self).row) }
            if wanted != placed { report.misjudged += Set(wanted).symmetricDifference(placed) }
            if wanted != placed, Set(wanted) == Set(placed) { report.misplaced.append((name, 0)) }
        }
    }
}
