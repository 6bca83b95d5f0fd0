#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @testable import YaprakTool

    /// What `load` takes beside the database that it fills.
    @Suite(.bounded) struct LoadMemoryTests {
        private static let keyCount = 1000

        /// Some text of a form: what comes first, and the records from `start` on.
        private static func text(_ form: RecordSource.Form, from start: Int, to end: Int) -> String {
            let records = (start..<end).map { number in
                let key = number % keyCount, name = String(repeating: "name \(key) ", count: 10)
                return switch form {
                case .csv: "\(key),\(name)\n"
                case .ndjson: "{\"id\":\(key),\"name\":\"\(name)\"}\n"
                case .json: "\(number == 0 ? "" : ",")\n{\"id\":\(key),\"name\":\"\(name)\"}"
                }
            }
            let head = start > 0 ? "" : form == .csv ? "id,name\n" : form == .json ? "[" : ""
            return head + records.joined()
        }

        /// Loads records of which only the first thousand are new, and returns the most memory that the program had, in bytes.
        private func peak(_ form: RecordSource.Form, count: Int) throws -> Int {
            let folder = try Folder(), process = Process.inRepository(), input = Pipe(), out = Pipe()
            process.executableURL = BuiltProgram.url("yaprak")
            process.arguments = [
                "load", "-", folder("db.yaprak"), "--collection", "things", "--key", "id", "--input", form.rawValue,
            ]
            (process.standardInput, process.standardOutput) = (input, out)
            try process.run()
            let writer = input.fileHandleForWriting
            for start in stride(from: 0, to: count, by: Self.keyCount) {
                try writer.write(contentsOf: Data(Self.text(form, from: start, to: start + Self.keyCount).utf8))
            }
            // All has been read but what is in the pipe.
            let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let kilobytes = try #require(Int(line.split(separator: " ").dropLast().last ?? ""))
            if form == .json { try writer.write(contentsOf: Data("]".utf8)) }
            try writer.close()
            let said = String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(said.contains("\"records\":\(count),\"inserted\":\(Self.keyCount),\"replaced\":0"), "\(said)")
            return kilobytes << 10
        }

        @Test(.disabled(if: Sanitizer.keepsFreedMemory), arguments: RecordSource.Form.allCases)
        func `More records take no more memory, but for what the database has of them`(form: RecordSource.Form) throws {
            let few = try peak(form, count: 5000), many = try peak(form, count: 60_000)
            // The records are 7 MB of text. A loader that kept them took 10 MB more.
            #expect(many - few < 4 << 20, "\(form): \(few) bytes, then \(many)")
        }
    }
#endif
