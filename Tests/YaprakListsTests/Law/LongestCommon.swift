/// The length of a longest common subsequence: elements that need not move.
func longestCommon<Element: Equatable>(_ a: [Element], _ b: [Element]) -> Int {
    var lengths = [Int](repeating: 0, count: b.count + 1)
    for x in a {
        var diagonal = 0
        for (index, y) in b.enumerated() {
            let above = lengths[index + 1]
            lengths[index + 1] = x == y ? diagonal + 1 : max(above, lengths[index])
            diagonal = above
        }
    }
    return lengths[b.count]
}
