import Foundation
import SystemPackage
import Yaprak

/// Writes commit after commit into the database at the given path, from several tasks, and says on standard output which
/// are acknowledged. Never ends by itself. With `keep` behind the path the log keeps everything, and after the first
/// thousands of commits, made at full speed, there is a pause behind each: the observer needs the processor, too. With
/// `close N` behind the path it is opened and closed N times instead, see ``Closing``; with `flat N SEED` all kinds of things
/// are made and dropped N times each, see ``FlatMemory``. With `script` it does a little of everything and ends, with `check`
/// it looks at what is there, see ``Scripted``. With `fill N`, `rush` and `inspected` it makes a long log, see ``Filling``.
@main
struct CrashWriter {
    static let numbers = RecordCollection<Int, NoMetadata>("numbers")

    static let fullSpeedMax = 4000

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[2] == "close", let rounds = Int(arguments[3]) {
            return try await Closing(path: FilePath(arguments[1]), rounds: rounds).run()
        }
        if arguments.count == 4, arguments[2] == "fill", let last = UInt64(arguments[3]) {
            return try await Filling(path: FilePath(arguments[1]), mode: .fill(through: last)).run()
        }
        if arguments.count == 3, ["rush", "inspected"].contains(arguments[2]) {
            let mode = Filling.Mode.rush(isInspected: arguments[2] == "inspected")
            return try await Filling(path: FilePath(arguments[1]), mode: mode).run()
        }
        if arguments.count == 5, arguments[2] == "flat", let rounds = Int(arguments[3]), let seed = UInt64(arguments[4])
        {
            var flat = FlatMemory(path: FilePath(arguments[1]), rounds: rounds, random: Steps(seed: seed))
            return try await flat.run()
        }
        if arguments.count == 3, let mode = Scripted.Mode(rawValue: arguments[2]) {
            return await Scripted(path: FilePath(arguments[1]), mode: mode).run()
        }
        var options = DatabaseOptions()
        options.checkpoints = .every(bytes: 64 << 10)
        let keeps = CommandLine.arguments.dropFirst(2).first == "keep"
        if keeps { options.retention = .all }
        let database = try await Database.open(
            at: FilePath(CommandLine.arguments[1]), options: options, collections: numbers)
        print("open \(database.commitNumber)")
        fflush(nil)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask { [database] in
                    while true {
                        let number = try! await database.write { transaction in
                            // Each commit holds its own number: what is there can be checked against what was said.
                            let number = Int(transaction.commitNumber.rawValue)
                            transaction[numbers]["\(number)"] = number
                            transaction[numbers]["last of \(writer)"] = number
                            return number
                        }
                        FileHandle.standardOutput.write(Data("\(number)\n".utf8))
                        if keeps, number > fullSpeedMax { try? await Task.sleep(for: .milliseconds(10)) }
                    }
                }
            }
        }
    }
}
