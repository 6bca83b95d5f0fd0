#if Inspector
    import YaprakCBOR

    extension CBORValue {
        /// The beginning of a value: as many parts and characters of it as there is room for, and no part that is deep within.
        ///
        /// For what is cut anyway: to write out a value of many megabytes takes long, and a page shows a line of it.
        /// - Parameter room: is negative afterwards if there may be more.
        /// - Complexity: O(*room*).
        func beginning(_ room: inout Int, levels: Int = 64) -> CBORValue {
            room -= 1
            switch self {
            case .text(let text):
                let kept = Pieces.cut(text, max(0, room))
                room -= max(kept.count, kept.utf8.count / 8)
                return .text(kept)
            case .bytes(let bytes):
                let kept = bytes.prefix(max(0, room) + 1)
                room -= kept.count
                return .bytes(Array(kept))
            case .array, .map, .tag:
                if levels == 0 { return "…" }
                return container(&room, levels - 1)
            default: return self
            }
        }

        private func container(_ room: inout Int, _ levels: Int) -> CBORValue {
            switch self {
            case .array(let items):
                var kept: [CBORValue] = []
                for item in items {
                    if room < 0 { break }
                    kept.append(item.beginning(&room, levels: levels))
                }
                return .array(kept)
            case .map(let pairs):
                var kept: [Pair] = []
                for pair in pairs {
                    if room < 0 { break }
                    let key = pair.key.beginning(&room, levels: levels)
                    kept.append(Pair(key, pair.value.beginning(&room, levels: levels)))
                }
                return .map(kept)
            case .tag(let tag, let inner): return .tag(tag, inner.beginning(&room, levels: levels))
            default: return self
            }
        }
    }
#endif
