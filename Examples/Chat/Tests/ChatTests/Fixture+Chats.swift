import Chat
import Foundation
import Yaprak
import YaprakTesting

/// Noon of a day in November 2026, and so many minutes more.
func time(_ day: Int, minutes: Int = 0) -> Date {
    Date(timeIntervalSince1970: 1_793_491_200 + Double(day - 1) * 86_400 + 43_200 + Double(minutes) * 60)
}

let greenwich = TimeZone(identifier: "GMT")!

extension Fixture {
    /// Two chats over three days. Built once; each test has a fork of its own.
    static let chats = Fixture { database in
        let store = try await ChatStore(database, timeZone: greenwich)
        try await store.send("Dune at the cinema tonight?", to: "films", by: "ada", at: time(20))
        try await store.send("Only if it is the old one.", to: "films", by: "ben", at: time(20, minutes: 3))
        try await store.send("Soup at one?", to: "lunch", by: "ada", at: time(21))
        try await store.send("The dunes are lovely today.", to: "lunch", by: "cem", at: time(22))
    }
}

extension ChatStore {
    /// The store of the current test, on its fork.
    static func current() async throws -> ChatStore {
        try await ChatStore(Database.current, timeZone: greenwich)
    }
}
