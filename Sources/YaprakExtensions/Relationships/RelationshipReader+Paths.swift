import YaprakCore

// Walks along the edges of a relationship of a collection with itself: parts of parts, replies to replies, friends of friends.
//
// All are searches in breadth, with a list of what was visited: cycles end them, and an edge from a record to itself leads
// nowhere new.
extension RelationshipReader where Source == Target, SourceMetadata == TargetMetadata {
    /// The keys that lie on the way from `key` along the edges, nearest first, and how many edges away they are.
    ///
    /// - Parameters:
    ///   - key: where the walk begins. It is not among the result, also if a cycle leads back to it.
    ///   - distanceMax: how many edges to follow at most.
    /// - Precondition: the relationship leads from a collection to itself.
    /// - Complexity: O(*r* · log *n*) for *r* edges within the distance.
    public func reachable(from key: String, distanceMax: Int = .max) -> [(key: String, distance: Int)] {
        walk(from: key, distanceMax) { targetKeys(of: $0) }
    }

    /// The keys from which a way leads along the edges to `key`, nearest first; as ``reachable(from:distanceMax:)``, backwards.
    public func reaching(_ key: String, distanceMax: Int = .max) -> [(key: String, distance: Int)] {
        walk(from: key, distanceMax) { sourceKeys(of: $0) }
    }

    /// A shortest way from one key to another, both included; `nil` if there is none within the distance. From a key to itself
    /// it is the key alone.
    ///
    /// - Precondition: the relationship leads from a collection to itself.
    /// - Complexity: O(*r* · log *n*) for *r* edges within the distance.
    public func path(from start: String, to end: String, distanceMax: Int = .max) -> [String]? {
        checkWalk()
        let (start, end) = (start.normalizedKey, end.normalizedKey)
        if start == end { return [start] }
        var previous: [String: String] = [start: start]
        var edge = [start]
        var distance = 0
        while !edge.isEmpty, distance < distanceMax {
            distance += 1
            var next: [String] = []
            for key in edge {
                for other in targetKeys(of: key) where previous[other] == nil {
                    previous[other] = key
                    if other == end { return way(to: end, previous) }
                    next.append(other)
                }
            }
            edge = next
        }
        return nil
    }

    private func way(to end: String, _ previous: [String: String]) -> [String] {
        var way = [end]
        while let before = previous[way.last!], before != way.last! { way.append(before) }
        return way.reversed()
    }

    private func checkWalk() {
        precondition(from.name == to.name, "a walk needs a relationship of a collection with itself")
    }

    private func walk(
        from start: String, _ distanceMax: Int, _ next: (String) -> [String]
    ) -> [(key: String, distance: Int)] {
        checkWalk()
        let start = start.normalizedKey
        var seen: Set<String> = [start]
        var found: [(key: String, distance: Int)] = []
        var edge = [start]
        var distance = 0
        while !edge.isEmpty, distance < distanceMax {
            distance += 1
            var further: [String] = []
            for key in edge {
                for other in next(key) where seen.insert(other).inserted {
                    found.append((other, distance))
                    further.append(other)
                }
            }
            edge = further
        }
        return found
    }
}
