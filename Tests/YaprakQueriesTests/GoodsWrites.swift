import TestSupport
import Yaprak

/// Random writes of goods; a few are undone.
struct GoodsWrites {
    var random: SplitMix64
    var keys = 60

    struct Undone: Error {}

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// One write. It may find that two records have one code, and is refused then.
    /// - Returns: whether there was a commit.
    @discardableResult
    mutating func write(
        to database: Database, check: (@Sendable (borrowing WriteTransaction) throws -> Void)? = nil
    ) async throws -> Bool {
        let draw = random.next()
        let keys = keys
        do {
            try await database.write { transaction in
                var steps = GoodsWrites(seed: draw)
                steps.keys = keys
                let count = steps.random.chance(5) ? 80 : 1 + steps.random.below(8)
                for number in 0..<count {
                    steps.step(&transaction)
                    if number == count / 2, steps.random.chance(20) { try check?(transaction) }
                }
                if steps.random.chance(10) { throw Undone() }
            }
            return true
        } catch is Undone {
            return false
        } catch let error as DatabaseError where error.code == .uniqueViolation {
            return false
        }
    }

    private mutating func key() -> String { ["", "g", "goods/é"][random.below(3)] + "\(random.below(keys))" }

    private mutating func step(_ transaction: inout WriteTransaction) {
        let key = key()
        switch random.below(100) {
        case 0..<30: transaction[.goods][key] = Goods.random(&random)
        case 30..<38:
            transaction[.goods].set(
                Goods.random(&random), metadata: random.chance(50) ? "m\(random.below(3))" : nil, for: key)
        case 38..<48: transaction[.goods][key]?.rank += random.below(3) - 1
        case 48..<54: transaction[.goods][key]?.genre = Goods.genres[random.below(Goods.genres.count)]
        case 54..<60: transaction[.goods].replaceMetadata("m\(random.below(3))", for: key)
        case 60..<64: transaction[.goods].touchRow(for: key)
        case 64..<80: transaction[.goods].remove(key)
        case 80..<84:
            if let goods = transaction[.goods][key] {
                transaction[.goods][key] = nil
                transaction[.goods][key] = random.chance(50) ? goods : Goods.random(&random)
            }
        case 84..<92:
            // Two records exchange their codes, which a unique index allows.
            let other = self.key()
            let (a, b) = (transaction[.goods][key]?.code, transaction[.goods][other]?.code)
            transaction[.goods][key]?.code = b
            if key != other { transaction[.goods][other]?.code = a }
        case 92: if random.chance(20) { transaction[.goods].removeAll() }
        case 93: if random.chance(20) { transaction.removeAll() }
        default: transaction[.goods][key]?.tags.append("t\(random.below(3))")
        }
    }
}
