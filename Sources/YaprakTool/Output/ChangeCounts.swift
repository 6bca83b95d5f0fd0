import Yaprak

/// How many records came, changed, went, in one collection.
struct ChangeCounts {
    var inserted = 0, changed = 0, removed = 0, touched = 0
    /// All records that were there went as well, which the log doesn't count.
    var removesAll = false

    var total: Int { inserted + changed + removed + touched }

    mutating func add(_ kinds: ChangeKinds) {
        switch kinds.sign {
        case "+": inserted += 1
        case "-": removed += 1
        case "~": changed += 1
        default: touched += 1
        }
    }
}
