import Foundation
import SystemPackage
import Yaprak

/// A short life of a database, for runs under faults: says on standard output what is acknowledged, and which error ends it.
///
/// Ends with 0 whatever the disk does: an error is said, and only a trap or a wrong state ends it differently. `check` opens
/// what such a life, or a writer that was killed, has left, and says how far it goes; it ends with 3 if it does not open,
/// with 4 if a commit is not what was written.
struct Scripted {
    enum Mode: String { case script, check }

    let path: FilePath
    let mode: Mode

    func run() async {
        // A file that may not grow ends a program that does not ignore this.
        signal(SIGXFSZ, SIG_IGN)
        switch mode {
        case .script: await live()
        case .check: await check()
        }
    }

    private func live() async {
        var options = DatabaseOptions()
        options.checkpoints = .manual
        do {
            let database = try await Database.open(at: path, options: options, collections: CrashWriter.numbers)
            do {
                for step in 0..<8 {
                    let number = try await database.write { transaction in
                        let number = Int(transaction.commitNumber.rawValue)
                        transaction[CrashWriter.numbers]["\(number)"] = number
                        transaction[CrashWriter.numbers]["last of 0"] = number
                        return number
                    }
                    say("\(number)")
                    if step == 3 || step == 5 { try await database.checkpoint() }
                }
            } catch {
                say(error)
            }
            try await database.close()
            say("closed")
        } catch {
            say(error)
        }
    }

    /// At once: a line that waits in a buffer is lost with the process.
    private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private func say(_ error: any Error) {
        say("error \((error as? DatabaseError)?.code.rawValue ?? "untyped \(error)")")
        if !(error is DatabaseError) { exit(5) }
    }

    private func check() async {
        do {
            let database = try await Database.open(at: path, collections: CrashWriter.numbers)
            let newest = Int(database.commitNumber.rawValue)
            let snapshot = database.snapshot[CrashWriter.numbers]
            for number in 0..<newest where snapshot["\(number + 1)"] != number + 1 {
                print("commit \(number + 1) is not what was written")
                exit(4)
            }
            guard snapshot.keys.count(where: { !$0.hasPrefix("last") }) == newest else {
                print("there are records that nobody wrote")
                exit(4)
            }
            print("newest \(newest)")
            try await database.close()
        } catch {
            print("it does not open: \(error)")
            exit(3)
        }
    }
}
