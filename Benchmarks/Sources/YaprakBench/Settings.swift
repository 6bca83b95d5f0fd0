import Foundation

/// What the command line asks for.
struct Settings: Sendable {
    enum Format: String, Sendable { case table, json, markdown }

    static let usage = """
        usage: yaprak-bench [growth | scale] [--only P1,P3] [--rows 100000] [--runs 5] [--quick] [--cpu]
                            [--one-process] [--format table|json|markdown] [--directory PATH] [--output PATH]

        Measures each row of the performance targets beside its peers, and says pass or FAIL. Each measure has a process of
        its own, and its contenders are interleaved in it.
          compare A,B C,D  reports in JSON of two builds: medians, ratios, verdicts; fails where the second got worse
          growth       cost against size for P1, P3 and P4, as growth.csv and growth.svg in --output (default: here)
          scale        each axis by itself, such as records or views, to its largest: tables, and scale.json in --output;
                       takes gigabytes of memory and of the disk; --quick leaves the largest sizes out
          --only       the measures to run, or the axes
          --rows       rows in a collection; targets are meant for 100000
          --runs       runs of each contender; medians are compared
          --quick      2 runs, a tenth of the large sizes: a look, not a verdict
          --cpu        the process's CPU time, not the wall's: for P1 to P4 and growth on a machine that others use
          --one-process  all measures in this process, for a profiler; later ones suffer from the heap of earlier ones
          --directory  where files are written, on the disk that is to be measured
        """

    var isGrowth = false
    var isScale = false
    var only: Set<String> = []
    var rows = 100_000
    var runs = 5
    var isQuick = false
    var measuresCPU = false
    var isOneProcess = false
    var format = Format.table
    /// A folder of this process alone: it is removed as a whole.
    var directory = NSTemporaryDirectory() + "yaprak-bench-\(getpid())"
    var output = "."

    /// Rows where a target speaks of a million.
    var manyRows: Int { isQuick ? 100_000 : 1_000_000 }

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments.reversed())
        func value(_ name: String) throws -> String {
            guard let value = rest.popLast() else { throw UsageError("\(name) needs a value") }
            return value
        }
        func number(_ name: String) throws -> Int {
            let text = try value(name)
            guard let number = Int(text), number > 0 else { throw UsageError("\(name) \(text): not a number above 0") }
            return number
        }
        while let argument = rest.popLast() {
            switch argument {
            case "growth": isGrowth = true
            case "scale": isScale = true
            case "--only": only = Set(try value(argument).uppercased().split(separator: ",").map(String.init))
            case "--rows": rows = try number(argument)
            case "--runs": runs = try number(argument)
            case "--quick":
                isQuick = true
                runs = 2
            case "--cpu": measuresCPU = true
            case "--one-process": isOneProcess = true
            case "--format":
                let text = try value(argument)
                guard let known = Format(rawValue: text) else { throw UsageError("--format \(text): not a format") }
                format = known
            case "--directory": directory = try value(argument) + "/yaprak-bench-\(getpid())"
            case "--output": output = try value(argument)
            default: throw UsageError("\(argument): unknown")
            }
        }
    }

    /// The command line of a process that does one measure as these settings say, and prints JSON.
    func arguments(for measure: String) -> [String] {
        let flags = [("--quick", isQuick), ("--cpu", measuresCPU), ("--one-process", true)].filter(\.1).map(\.0)
        // After --quick, which has its own number of runs.
        return flags + [
            "--only", measure, "--rows", "\(rows)", "--runs", "\(runs)", "--format", "json", "--directory", directory,
        ]
    }

    /// An empty directory for one contender.
    func freshDirectory(_ name: String) throws -> String {
        let path = directory + "/" + name
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    func removeFiles() { try? FileManager.default.removeItem(atPath: directory) }
}

struct UsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
