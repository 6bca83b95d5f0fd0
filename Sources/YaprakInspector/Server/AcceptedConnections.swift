#if Inspector
    import NIOCore
    import YaprakLocks

    /// The connections of a server, from when they are accepted until they are closed.
    ///
    /// A socket that listens does not own what it accepted: closing it leaves everybody connected.
    final class AcceptedConnections: Sendable {
        private struct State {
            var channels: [ObjectIdentifier: any Channel] = [:]
            var isStopped = false
        }

        private let state = Mutex(State())

        /// Adds a connection until it closes.
        ///
        /// - Throws: `ChannelError.ioOnClosedChannel` once it is stopped: a connection that came in that moment is not served.
        func add(_ channel: any Channel) throws {
            let id = ObjectIdentifier(channel)
            let isOpen = state.withLock { state in
                guard !state.isStopped else { return false }
                state.channels[id] = channel
                return true
            }
            guard isOpen else { throw ChannelError.ioOnClosedChannel }
            channel.closeFuture.whenComplete { _ in self.remove(id) }
        }

        private func remove(_ id: ObjectIdentifier) {
            let closed = state.withLock { $0.channels.removeValue(forKey: id) }
            withExtendedLifetime(closed) {}
        }

        /// Closes all connections, and takes no other.
        func stop() { for channel in stopped() { channel.close(promise: nil) } }

        /// The same, and waits until they are closed.
        func close() async {
            for channel in stopped() {
                channel.close(promise: nil)
                try? await channel.closeFuture.get()
            }
        }

        private func stopped() -> [any Channel] {
            state.withLock { state in
                state.isStopped = true
                return Array(state.channels.values)
            }
        }
    }
#endif
