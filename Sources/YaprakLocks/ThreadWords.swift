#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a thread knows about itself, for a thread that continues its work while it waits.
struct ThreadWords {
    /// The thread that this one works for: itself, unless it continues another one's work.
    ///
    /// Not a `pthread_t`, which the system gives to another thread when one has ended.
    static var name: UInt {
        if let there = pthread_getspecific(nameKey) { return UInt(bitPattern: there) }
        let name = names.withLock { names in
            names += 1
            return names
        }
        pthread_setspecific(nameKey, UnsafeRawPointer(bitPattern: name))
        return name
    }

    private static let names = Mutex<UInt>(0)
    private static let nameKey = makeKey()
    private static let flagKeys = Mutex<[pthread_key_t]>([])

    private let name: UInt
    private let flags: [(key: pthread_key_t, value: UInt)]

    /// Those of the calling thread.
    static func current() -> ThreadWords {
        let keys = flagKeys.withLock { $0 }
        return ThreadWords(name: name, flags: keys.map { ($0, UInt(bitPattern: pthread_getspecific($0))) })
    }

    /// Makes the calling thread continue the work of theirs.
    func adopt() {
        pthread_setspecific(Self.nameKey, UnsafeRawPointer(bitPattern: name))
        for flag in flags { pthread_setspecific(flag.key, UnsafeRawPointer(bitPattern: flag.value)) }
    }

    /// A word for a flag, which threads that continue the work get along.
    static func makeFlag() -> pthread_key_t {
        let key = makeKey()
        flagKeys.withLock { $0.append(key) }
        return key
    }

    private static func makeKey() -> pthread_key_t {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "a thread can be given a word of its own")
        return key
    }
}
