/// The indices of a longest strictly increasing subsequence, ascending.
///
///     longestIncreasingRun([4, 0, 1, 5, 2])        // [1, 2, 4]
///
/// Patience sorting: `ends[n]` is the index of the smallest value that ends a run of length n + 1.
/// - Complexity: O(*n* log *n*).
package func longestIncreasingRun(_ values: [Int]) -> [Int] {
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
        let length = prefixCount(ends.count) { values[ends[$0]] < value }
        if length > 0 { previous[index] = ends[length - 1] }
        if length == ends.count { ends.append(index) } else { ends[length] = index }
    }
    var run: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
        run.append(index)
        index = previous[index]
    }
    return run.reversed()
}

/// How many of the first `count` numbers are before the border, where `isBefore` is true up to a point and false from
/// there on. O(log *n*).
package func prefixCount(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
        let middle = (low + high) / 2
        if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
}

extension Array {
    /// Removes the elements at ascending indices, in one pass.
    package mutating func remove(atAscending indices: [Int]) {
        guard !indices.isEmpty else { return }
        var kept: [Element] = []
        kept.reserveCapacity(count - indices.count)
        var next = 0
        for index in self.indices {
            if next < indices.count && indices[next] == index { next += 1 } else { kept.append(self[index]) }
        }
        self = kept
    }
}
