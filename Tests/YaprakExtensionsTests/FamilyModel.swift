import Yaprak

/// The rules of relationships over plain dictionaries, as the guide's table has them: every question is a scan of everything.
struct FamilyModel {
    typealias Records = [String: [String: Node]]
    enum Outcome: Equatable { case done, restricted, dangling }

    let kin: [Kinship]
    var records: Records

    private struct Gone: Hashable {
        var collection: String
        var key: String
    }

    init(_ kin: [Kinship], _ records: Records) {
        self.kin = kin
        self.records = records
    }

    private func references(_ kinship: Kinship, _ key: String) -> [String]? {
        records[kinship.from.name]?[key].map { kinship.references(of: $0) }
    }

    private func sources(_ kinship: Kinship, _ target: String) -> [String] {
        (records[kinship.from.name] ?? [:])
            .filter { kinship.references(of: $0.value).contains(target) }
            .map(\.key).sorted()
    }

    /// Follows the rules after a transaction has led from `before` to the present records.
    ///
    /// - Parameters:
    ///   - removed: what the transaction removed, in its order.
    ///   - written: what it set, also to what it was, as collection and key.
    mutating func follow(
        from before: Records, removed: [(collection: String, key: String)], written: Set<[String]>
    ) -> Outcome {
        var list = removed.map { item in
            (Gone(collection: item.collection, key: item.key), before[item.collection]![item.key]!)
        }
        // What lost a source, whatever took it away, by relationship and key.
        var compared = before
        var lost = lostEdges(from: compared)
        compared = records
        var next = 0
        func remove(_ collection: String, _ key: String, _ records: inout Records) {
            guard let node = records[collection]?.removeValue(forKey: key) else { return }
            list.append((Gone(collection: collection, key: key), node))
        }
        repeat {
            while next < list.count {
                let (gone, node) = list[next]
                next += 1
                for kinship in kin {
                    if kinship.to.name == gone.collection {
                        for source in sources(kinship, gone.key) {
                            // An answer before may have changed it.
                            guard let old = records[kinship.from.name]?[source],
                                kinship.references(of: old).contains(gone.key)
                            else { continue }
                            switch kinship.onDelete {
                            case .cascade: remove(kinship.from.name, source, &records)
                            case .nullify:
                                if kinship.property == .one { records[kinship.from.name]![source]!.one = nil }
                                if kinship.property == .many {
                                    records[kinship.from.name]![source]!.many.removeAll { $0 == gone.key }
                                }
                            case .notify:
                                guard let new = Answers.source(old, source, gone.key) else { continue }
                                records[kinship.from.name]![source] = new
                            case .none, .restrict, .cascadeWhenLast: break
                            }
                        }
                    }
                    if kinship.from.name == gone.collection {
                        var seen: Set<String> = []
                        for target in kinship.references(of: node) where seen.insert(target).inserted {
                            switch kinship.onSourceDelete {
                            case .cascade: remove(kinship.to.name, target, &records)
                            case .notify:
                                if let old = records[kinship.to.name]?[target],
                                    let new = Answers.target(old, target, gone.key)
                                {
                                    records[kinship.to.name]![target] = new
                                }
                            case .none, .restrict, .nullify, .cascadeWhenLast: break
                            }
                        }
                    }
                }
            }
            for (number, edges) in lostEdges(from: compared) { lost[number, default: []].formUnion(edges) }
            compared = records
            // All are judged by the edges there are now.
            let withoutSources = lost.sorted { $0.key < $1.key }.flatMap { number, targets in
                targets.sorted().map { (kin[number], $0) }.filter { sources($0, $1).isEmpty }
            }
            lost = [:]
            for (kinship, key) in withoutSources { remove(kinship.to.name, key, &records) }
        } while next < list.count
        return outcome(before, list.map { ($0.collection, $0.key, $1) }, written)
    }

    /// What lost a source since other records were there, by the number of the relationship that says so.
    private func lostEdges(from old: Records) -> [Int: Set<String>] {
        var lost: [Int: Set<String>] = [:]
        for (number, kinship) in kin.enumerated() where kinship.onSourceDelete == .cascadeWhenLast {
            for (key, node) in old[kinship.from.name] ?? [:] {
                let now = references(kinship, key) ?? []
                lost[number, default: []].formUnion(kinship.references(of: node).filter { !now.contains($0) })
            }
        }
        return lost
    }

    private func outcome(
        _ before: Records, _ list: [(collection: String, key: String, node: Node)], _ written: Set<[String]>
    ) -> Outcome {
        for (collection, key, node) in list {
            for kinship in kin {
                if kinship.onDelete == .restrict, kinship.to.name == collection, records[collection]?[key] == nil,
                    !sources(kinship, key).isEmpty
                {
                    return .restricted
                }
                if kinship.onSourceDelete == .restrict, kinship.from.name == collection,
                    kinship.references(of: node).contains(where: { records[kinship.to.name]?[$0] != nil })
                {
                    return .restricted
                }
            }
        }
        for kinship in kin where !kinship.allowsMissing {
            for (key, node) in records[kinship.from.name] ?? [:] {
                for target in kinship.references(of: node) where records[kinship.to.name]?[target] == nil {
                    // What was missing before, of a record that did not change, is not this transaction's fault.
                    let isNew =
                        written.contains([kinship.from.name, key]) || before[kinship.from.name]?[key] != node
                        || before[kinship.to.name]?[target] != nil
                    if isNew { return .dangling }
                }
            }
        }
        return .done
    }

    // MARK: What readers say

    func sourceKeys(_ kinship: Kinship, of target: String) -> [String] { sources(kinship, target) }

    func missingTargets(_ kinship: Kinship) -> [String] {
        let all = (records[kinship.from.name] ?? [:]).values.flatMap { kinship.references(of: $0) }
        return Set(all.filter { records[kinship.to.name]?[$0] == nil }).sorted()
    }
}
