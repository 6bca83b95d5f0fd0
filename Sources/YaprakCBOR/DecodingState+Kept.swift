/// Decoders and containers that are used while the state is at another value.
extension DecodingState {
    /// Whether the value with this number, of this state, still decodes itself. That of a branch does until the root call ends.
    func isRunning(_ number: Int) -> Bool {
        value >= 0 && (number == 0 || number == value || call.keys(of: number) != nil)
    }

    /// A state for what was kept of the item at `offset`. The same one each time, so that memory stays within bounds.
    func kept(at offset: Int) -> DecodingState {
        // After the call of the root decoder there are no bytes, and nothing that would end what begins here.
        if value < 0 { return .closed() }
        if let state = call.kept[offset] { return state }
        let state = begin(keptAt: offset)
        call.keep(state, at: offset)
        return state
    }

    /// The pairs of the map at `offset`, which are recorded once, for they may be asked for each field.
    func keptPairs(
        at offset: Int, path: @autoclosure () -> [any CodingKey]
    ) throws -> (state: DecodingState, pairs: (first: Int, count: Int)) {
        let state = kept(at: offset)
        if let pairs = state.ownPairs { return (state, pairs) }
        if state.value <= 0 {
            state.ownPairs = try state.pairs(at: offset, path: path())
            return (state, state.ownPairs ?? (0, 0))
        }
        // Pairs that are recorded while a value is decoded go with it.
        let other = begin(keptAt: offset)
        let pairs = try other.pairs(at: offset, path: path())
        other.ownPairs = pairs
        call.keep(other, at: offset)
        return (other, pairs)
    }

    /// The keys to a value of this state that still decodes itself.
    func codingPath(of number: Int) -> [any CodingKey] {
        if number == value { return codingPath }
        return base + keys(of: number)
    }

    private func keys(of number: Int) -> ArraySlice<any CodingKey> {
        let count = number == 0 ? keysBefore : call.keys(of: number) ?? 0
        // The keys as they were when the first value around which it was left for an outer one was being decoded.
        let index = firstIndex(left.count) { left[$0].value >= number }
        return (index < left.count ? left[index].keys : keys).prefix(count)
    }

    /// Decodes the item at `offset`, which stands under the keys `inner` of the value `outer`: of the one that is being decoded
    /// or of one around it.
    @inline(never)
    func decode<T: Decodable>(
        _ type: T.Type, at offset: Int, under inner: [any CodingKey], of outer: Int
    ) throws -> T {
        if outer == value { return try within(inner) { try decode(type, at: offset) } }
        let path = keys(of: outer) + inner
        left.append((value, keys))
        keys = Array(path)
        defer { if let (_, before) = left.popLast() { keys = before } }
        return try decode(type, at: offset)
    }
}
