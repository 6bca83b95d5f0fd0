// The trap of decision 0018 in its smallest form, for the authors of the compiler and for the check of the check:
//
//     swiftc -O -parse-as-library Owner.swift && ./Owner       traps in 39 of 40 runs on two cores
//
// "Call to unlock Mutex on a thread which hasn't acquired the lock" (Swift 6.3.1, x86-64 Linux). The address of a
// thread-local variable, which the inlined lock reads, is computed when `elsewhere` has returned, kept across the hop back to
// the actor, and used there on another thread. It takes both outcomes of the call, which put the hop in two places.
//
// With `-D OUTLINED` the lock is in a function of its own, and all is well.
import Synchronization

actor Owner {
    let lock = Mutex(0)

    func close(_ fails: Bool) async throws {
        #if OUTLINED
            defer { count() }
        #else
            defer { lock.withLock { $0 += 1 } }
        #endif
        try await elsewhere(fails)
    }

    @inline(never) func count() { lock.withLock { $0 += 1 } }
}

struct Failure: Error {}

@inline(never) func elsewhere(_ fails: Bool) async throws {
    await Task.yield()
    if fails { throw Failure() }
}

@main struct Program {
    static func main() async {
        let owner = Owner()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for round in 0..<100_000 { try? await owner.close(round.isMultiple(of: 2)) }
                }
            }
        }
        print("ended")
    }
}
