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

extension LogCursor {
    /// A cursor from the command line; `nil` for what does not begin as one, which may be a position.
    ///
    /// Text that begins with an identity and a dash is a cursor, or one that was cut off or changed, with a reason: as a position
    /// it would be the name of a tag, and what is not found is taken for a log that no longer reaches back.
    static func argument(_ text: String) throws -> Self? {
        let identity = text.prefix { $0 != "-" }
        guard identity.utf8.count == 32, identity.endIndex < text.endIndex,
            identity.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return nil }
        return try explained { () throws(DatabaseError) in try Self(text: text) }
    }
}

private func explained<T>(_ body: () throws(DatabaseError) -> T) throws -> T {
    do {
        return try body()
    } catch {
        throw ValidationError(error.message)
    }
}
