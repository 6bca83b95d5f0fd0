#if Inspector
    import Yaprak
    import YaprakReplay

    /// What the files say about the state of a database.
    enum FileHealth {
        static func parts(of reader: ReplayReader) throws -> [HealthPart] {
            [try log(reader), try checkpoints(reader), try findings(reader)]
        }

        private static func log(_ reader: ReplayReader) throws -> HealthPart {
            let segments = try reader.segments()
            let newest = try reader.newestCommitNumber()
            var rows: [(name: String, value: String, state: HealthPart.State)] = [
                ("newest commit", Amount.count(newest.rawValue), .good)
            ]
            var note: String?
            do {
                let reachable = try reader.oldestReachableCommitNumber()
                rows.append(
                    ("oldest state in reach", Amount.count(reachable.rawValue), reachable == .zero ? .good : .notable))
                if reachable > .zero {
                    note =
                        "States before commit \(reachable) are out of reach: retention has removed the files that led to "
                        + "them. DatabaseOptions.retention = .all keeps everything."
                }
            } catch {
                rows.append(("oldest state in reach", "none", .bad))
                note = error.message
            }
            if let oldest = try reader.oldestCommitNumber() {
                rows.append(
                    (
                        "commits in the log", "\(Amount.count(oldest.rawValue)) to \(Amount.count(newest.rawValue))",
                        .good
                    ))
            }
            rows.append(("files of the log", "\(segments.count)", .good))
            let bytes = segments.reduce(0) { $0 + min($1.byteCount, .max - $0) }
            rows.append(("bytes of the log", Amount.bytes(bytes), .good))
            return HealthPart(title: "Log", rows: rows, note: note)
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
            var rows: [(name: String, value: String, state: HealthPart.State)] = report.findings.prefix(50).map {
                finding in
                let state: HealthPart.State =
                    switch finding.severity {
                    case .clean: .good
                    case .torn, .derived: .notable
                    case .newer, .unreadable, .corrupt: .bad
                    }
                return (finding.severity.rawValue, finding.message, state)
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
