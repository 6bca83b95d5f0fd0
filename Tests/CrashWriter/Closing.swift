import SystemPackage
import Yaprak

/// Opens a database, writes and checkpoints it from several tasks until they are refused, and closes it meanwhile; again
/// and again. Once in a thousand times such a close trapped in optimized code: a lock in an async function was unlocked with
/// the thread number of another thread.
struct Closing {
    let path: FilePath
    let rounds: Int

    func run() async throws {
        var options = DatabaseOptions()
        options.durability = .relaxed
        for round in 1...rounds {
            let database = try await Database.open(at: path, options: options, collections: CrashWriter.numbers)
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<4 { group.addTask { await write(to: database, writer, round) } }
                for _ in 0..<2 { group.addTask { await checkpoint(database) } }
                group.addTask {
                    try? await Task.sleep(for: .microseconds(500 * (round % 7)))
                    do { try await database.close() } catch { fatalError("closing threw \(error)") }
                }
            }
            if round.isMultiple(of: 1000) { print("closed \(round) times") }
        }
        print("closed \(rounds) times, no trap")
    }

    private func write(to database: Database, _ writer: Int, _ round: Int) async {
        do {
            while true { try await database.write { $0[CrashWriter.numbers]["\(writer)"] = round } }
        } catch let error as DatabaseError where error.code == .closed {
        } catch {
            fatalError("a write threw \(error)")
        }
    }

    private func checkpoint(_ database: Database) async {
        do {
            while true { try await database.checkpoint() }
        } catch let error as DatabaseError where error.code == .closed {
        } catch {
            fatalError("a checkpoint threw \(error)")
        }
    }
}
