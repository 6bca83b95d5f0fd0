/// A longest sequence of numbers that ascends.
enum LongestRun {
    /// The indices of a longest ascending subsequence. O(*n* log *n*).
    static func indices(of numbers: [Int]) -> Set<Int> { indices(of: numbers, keeping: numbers.map { _ in false }) }

    /// The same, of those that have all numbers to keep in them; these ascend, if the others are left out.
    static func indices(of numbers: [Int], keeping isKept: [Bool]) -> Set<Int> {
        var run: Set<Int> = []
        var low = Int.min
        var start = 0
        func takeGap(upTo end: Int, below high: Int) {
            var ends: [Int] = []
            var previous: [Int: Int] = [:]
            for index in start..<end where numbers[index] > low && numbers[index] < high {
                let place = ends.partitioningIndex { numbers[$0] >= numbers[index] }
                if place > 0 { previous[index] = ends[place - 1] }
                if place == ends.count { ends.append(index) } else { ends[place] = index }
            }
            var last = ends.last
            while let index = last {
                run.insert(index)
                last = previous[index]
            }
        }
        for index in numbers.indices where isKept[index] && numbers[index] > low {
            takeGap(upTo: index, below: numbers[index])
            run.insert(index)
            (low, start) = (numbers[index], index + 1)
        }
        takeGap(upTo: numbers.count, below: .max)
        return run
    }
}

extension [Int] {
    /// The first index from which on a condition holds, which holds for all behind it.
    fileprivate func partitioningIndex(_ isBehind: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
