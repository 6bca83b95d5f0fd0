#if Inspector
    import YaprakLocks

    /// The first of several answers; who asks waits for it, once.
    final class FirstAnswer<Value: Sendable>: Sendable {
        private enum State {
            case open
            case awaited(CheckedContinuation<Value, Never>)
            case given(Value)
        }

        private let state = Mutex(State.open)

        func give(_ value: Value) {
            let awaited = state.withLock { state -> CheckedContinuation<Value, Never>? in
                switch state {
                case .open:
                    state = .given(value)
                    return nil
                case .awaited(let continuation):
                    state = .given(value)
                    return continuation
                case .given: return nil
                }
            }
            awaited?.resume(returning: value)
        }

        var value: Value {
            get async {
                await withCheckedContinuation { continuation in
                    let given = state.withLock { state -> Value? in
                        if case .given(let value) = state { return value }
                        state = .awaited(continuation)
                        return nil
                    }
                    if let given { continuation.resume(returning: given) }
                }
            }
        }
    }
#endif
