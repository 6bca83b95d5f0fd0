import YaprakCore

/// A manual view as plain keys, to which steps from the log are applied.
///
/// A group is a sequence of pieces of at most 512 members. A step looks at the pieces of its group and moves members of one of
/// them, where a plain array would move all: a launch may have a hundred thousand steps to apply.
struct ManualArrangement {
    private typealias Member = ManualStep.Member

    /// Some members of a group that stand together.
    private final class Piece {
        let group: String
        var members: ArraySlice<ManualStep.Member>

        init(_ group: String, _ members: ArraySlice<ManualStep.Member>) {
            self.group = group
            self.members = members
        }
    }

    /// One is divided when it has more members.
    private static let membersMax = 512
    private var pieces: [String: [Piece]] = [:]
    private var pieceOf: [ManualStep.Member: Piece] = [:]

    /// What a file has of a view. A member that it has more than once stands where it comes first.
    init(_ stored: StoredGroups?) {
        guard let stored else { return }
        for group in stored.groups {
            let name = group.name.normalizedKey
            var last: Piece?
            for (index, key) in group.keys.enumerated() {
                let member = Member(
                    collection: stored.collections[Int(group.of?[index] ?? 0)], key: key.normalizedKey)
                if pieceOf[member] != nil { continue }
                let piece: Piece
                if let last, last.members.count < Self.membersMax {
                    piece = last
                } else {
                    piece = Piece(name, [])
                    pieces[name, default: []].append(piece)
                    last = piece
                }
                piece.members.append(member)
                pieceOf[member] = piece
            }
        }
    }

    /// The members of each group, in order.
    var groups: [String: [ManualStep.Member]] { pieces.mapValues { $0.flatMap(\.members) } }

    mutating func apply(_ step: ManualStep) {
        switch step.action {
        case .insert(let member, let group, let index):
            let member = member.normalized
            if pieceOf[member] == nil { insert(member, at: max(0, index), of: group.normalizedKey) }
        case .remove(let members):
            for member in members.lazy.map(\.normalized) {
                guard let piece = pieceOf.removeValue(forKey: member),
                    let index = piece.members.firstIndex(of: member)
                else { continue }
                piece.members.remove(at: index)
                if piece.members.isEmpty { pieces[piece.group]?.removeAll { $0 === piece } }
            }
        case .removeGroup(let group):
            for piece in pieces.removeValue(forKey: group.normalizedKey) ?? [] {
                for member in piece.members { pieceOf[member] = nil }
            }
        }
    }

    private mutating func insert(_ member: Member, at index: Int, of group: String) {
        var number = 0, left = index
        let row = pieces[group] ?? []
        while number < row.count - 1, left > row[number].members.count {
            left -= row[number].members.count
            number += 1
        }
        guard number < row.count else {
            let piece = Piece(group, [member])
            pieces[group] = [piece]
            pieceOf[member] = piece
            return
        }
        let piece = row[number]
        let place = piece.members.startIndex + min(left, piece.members.count)
        piece.members.insert(member, at: place)
        pieceOf[member] = piece
        if piece.members.count > Self.membersMax { divide(piece, number) }
    }

    private mutating func divide(_ piece: Piece, _ number: Int) {
        let half = piece.members.count / 2
        let rest = Piece(piece.group, ArraySlice(Array(piece.members.dropFirst(half))))
        piece.members = ArraySlice(Array(piece.members.prefix(half)))
        for member in rest.members { pieceOf[member] = rest }
        pieces[piece.group]?.insert(rest, at: number + 1)
    }
}
