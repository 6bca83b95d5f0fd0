internal import YaprakLocks
internal import YaprakStorage

/// A lock of the simulated disk.
final class MemoryLock: FileLock {
    private let system: MemoryFileSystem
    private let node: Int
    private let isReleased = Mutex(false)

    init(_ system: MemoryFileSystem, _ node: Int) {
        self.system = system
        self.node = node
    }

    deinit { release() }

    func note(_ text: String) {}

    func release() {
        let isFirst = isReleased.withLock { isReleased in
            defer { isReleased = true }
            return !isReleased
        }
        guard isFirst else { return }
        system.disk.withLock { _ = $0.locks.remove(node) }
    }
}
