public import ArgumentParser
import Yaprak
public import YaprakReplay

// Positions and ranges as arguments. `completion: .position, transform: LogPosition.argument` reports what is wrong with
// one; the conformance, which ArgumentParser needs to print a default, can only report that something is.

extension LogPosition: ExpressibleByArgument {
    /// A position from the command line.
    public init?(argument: String) { try? self.init(argument) }

    /// The same, with a reason if it is none.
    static func argument(_ text: String) throws -> Self {
        try explained { () throws(DatabaseError) in try Self(text) }
    }
}

extension LogRange: ExpressibleByArgument {
    /// A range from the command line.
    public init?(argument: String) { try? self.init(argument) }

    /// The same, with a reason if it is none.
    static func argument(_ text: String) throws -> Self {
        try explained { () throws(DatabaseError) in try Self(text) }
    }
}

extension LogTime: ExpressibleByArgument {
    /// A time from the command line.
    public init?(argument: String) { try? self.init(argument) }

    /// The same, with a reason if it is none.
    static func argument(_ text: String) throws -> Self {
        try explained { () throws(DatabaseError) in try Self(text) }
    }
}

private func explained<T>(_ body: () throws(DatabaseError) -> T) throws -> T {
    do {
        return try body()
    } catch {
        throw ValidationError(error.message)
    }
}
