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
        var orphans: [(Kinship, String)] = []
        for kinship in kin where kinship.onSourceDelete == .cascadeWhenLast {
            var lost: [(String, String)] = []
            for (key, node) in before[kinship.from.name] ?? [:] {
                let now = references(kinship, key) ?? []
                for target in Set(kinship.references(of: node)) where !now.contains(target) {
                    lost.append((target, key))
                }
            }
            for (target, _) in lost.sorted(by: { $0 < $1 }) { orphans.append((kinship, target)) }
        }
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
                                guard kinship.onSourceDelete == .cascadeWhenLast else { continue }
                                var seen: Set<String> = []
                                for target in kinship.references(of: old)
                                where seen.insert(target).inserted && !kinship.references(of: new).contains(target) {
                                    orphans.append((kinship, target))
                                }
                            case .none, .restrict, .cascadeWhenLast: break
                            }
                        }
                    }
                    if kinship.from.name == gone.collection {
                        var seen: Set<String> = []
                        for target in kinship.references(of: node) where seen.insert(target).inserted {
                            switch kinship.onSourceDelete {
                            case .cascade: remove(kinship.to.name, target, &records)
                            case .cascadeWhenLast: orphans.append((kinship, target))
                            case .notify:
                                if let old = records[kinship.to.name]?[target],
                                    let new = Answers.target(old, target, gone.key)
                                {
                                    records[kinship.to.name]![target] = new
                                }
                            case .none, .restrict, .nullify: break
                            }
                        }
                    }
                }
            }
            let candidates = orphans
            orphans = []
            // All are judged by the edges there are now.
            let withoutSources = candidates.filter { sources($0, $1).isEmpty }
            for (kinship, key) in withoutSources { remove(kinship.to.name, key, &records) }
        } while next < list.count
        return outcome(before, list.map { ($0.collection, $0.key, $1) }, written)
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
