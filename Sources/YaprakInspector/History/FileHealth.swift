#if Inspector
    import Yaprak
    import YaprakReplay

    /// What the files say about the state of a database.
    enum FileHealth {
        /// Each part stands alone: one whose files can't be read says so, and the others are there.
        static func parts(of reader: ReplayReader) -> [HealthPart] {
            [
                log(reader), part("Checkpoints") { try checkpoints(reader) },
                part("Structure") { try findings(reader) },
            ]
        }

        private static func part(_ title: String, _ make: () throws -> HealthPart) -> HealthPart {
            do { return try make() } catch {
                return HealthPart(title: title, rows: [("files", "can't be read", .bad)], note: sentence(of: error))
            }
        }

        private static func sentence(of error: any Error) -> String {
            (error as? DatabaseError)?.message ?? "\(error)"
        }

        private static func log(_ reader: ReplayReader) -> HealthPart {
            var rows: [HealthPart.Row] = [], notes: [String] = []
            /// What can't be read is a row all the same, and why is a note.
            func read<Value>(_ name: String, orElse words: String, _ body: () throws -> Value) -> Value? {
                do { return try body() } catch {
                    rows.append((name, words, .bad))
                    let why = sentence(of: error)
                    if !notes.contains(why) { notes.append(why) }
                    return nil
                }
            }
            let newest = read("newest commit", orElse: "can't be read") { try reader.newestCommitNumber() }
            if let newest { rows.append(("newest commit", Amount.count(newest.rawValue), .good)) }
            let reachable = read("oldest state in reach", orElse: "none") { try reader.oldestReachableCommitNumber() }
            if let reachable {
                rows.append(
                    ("oldest state in reach", Amount.count(reachable.rawValue), reachable == .zero ? .good : .notable))
                if reachable > .zero {
                    notes.append(
                        "States before commit \(reachable) are out of reach: retention has removed the files that led to "
                            + "them. DatabaseOptions.retention = .all keeps everything.")
                }
            }
            let oldest = read("commits in the log", orElse: "can't be read") { try reader.oldestCommitNumber() }
            if case let oldest?? = oldest {
                let last = newest.map { "to \(Amount.count($0.rawValue))" } ?? "and later"
                rows.append(("commits in the log", "\(Amount.count(oldest.rawValue)) \(last)", .good))
            }
            if let segments = read("files of the log", orElse: "can't be read", { try reader.segments() }) {
                rows.append(("files of the log", "\(segments.count)", .good))
                let bytes = segments.reduce(0) { $0 + min($1.byteCount, .max - $0) }
                rows.append(("bytes of the log", Amount.bytes(bytes), .good))
            }
            return HealthPart(title: "Log", rows: rows, note: notes.isEmpty ? nil : notes.joined(separator: " "))
        }

        private static func checkpoints(_ reader: ReplayReader) throws -> HealthPart {
            let checkpoints = try reader.checkpoints()
            let rows = checkpoints.suffix(12).reversed().map { checkpoint in
                (
                    name: "commit \(checkpoint.commitNumber)",
                    value: "\(Amount.bytes(checkpoint.byteCount)), \(Amount.time(checkpoint.nanosecondsSince1970))",
                    state: HealthPart.State.good
                )
            }
            let note =
                checkpoints.isEmpty
                ? "There is none: opening replays the log from its first commit."
                : checkpoints.count > 12 ? "The newest 12 of \(checkpoints.count)." : nil
            return HealthPart(title: "Checkpoints", rows: rows, note: note)
        }

        /// The structure of the files: names, headers, chain. Contents are for `yaprak verify`.
        private static func findings(_ reader: ReplayReader) throws -> HealthPart {
            let report = try reader.verify(.structure)
            var rows: [HealthPart.Row] = report.findings.prefix(50).map { finding in
                let state: HealthPart.State =
                    switch finding.severity {
                    case .clean: .good
                    case .torn, .derived: .notable
                    case .newer, .unreadable, .corrupt: .bad
                    }
                let file = finding.place.file.flatMap { finding.message.contains($0) ? nil : $0 + ": " } ?? ""
                return (finding.severity.rawValue, file + finding.message, state)
            }
            if rows.isEmpty { rows = [("structure", "no findings", .good)] }
            return HealthPart(
                title: "Structure", rows: rows,
                note: "Names, headers and the chain of files. `yaprak verify` also checks every byte.")
        }
    }

    /// Numbers for people.
    enum Amount {
        static func bytes(_ count: UInt64) -> String {
            if count < 1024 { return "\(count) B" }
            var value = Double(count) / 1024, unit = 0
            let units = ["KiB", "MiB", "GiB", "TiB"]
            while value >= 1024, unit + 1 < units.count {
                value /= 1024
                unit += 1
            }
            return "\((value * 10).rounded() / 10) \(units[unit])"
        }

        /// `31,108`.
        static func count(_ value: some BinaryInteger) -> String { value.grouped }

        /// `3 min`: how long ago something was, to its largest unit.
        static func age(_ nanoseconds: Int64) -> String {
            let seconds = max(0, nanoseconds / 1_000_000_000)
            let units: [(Int64, String)] = [(86_400, "d"), (3600, "h"), (60, "min")]
            for (length, name) in units where seconds >= length { return "\(count(seconds / length)) \(name)" }
            return seconds > 0 ? "\(seconds) s" : "less than 1 s"
        }

        /// `2013-01-05 12:00:00.250` in UTC: what a table shows; the exact time stands in its title.
        static func time(_ nanoseconds: Int64) -> String {
            let text = ISOTime.text(nanoseconds, fractionDigits: 3)
            let short = text.hasSuffix(".000Z") ? text.dropLast(5) : text.dropLast(1)
            return String(short).replacing("T", with: " ")
        }
    }
#endif
