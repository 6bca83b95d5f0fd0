import ToolSupport
import YaprakCBOR

/// Prints the properties of one thing: a line each on a terminal, one object in JSON.
enum PropertyWriter {
    /// `lines` are for a person, `json` for a program.
    static func write(
        _ lines: [(name: String, text: String)], json: CBORValue, _ format: OutputFormat, _ console: Console
    ) throws {
        switch format {
        case .json, .ndjson: try console.out.write(json.json() + "\n")
        case .csv, .markdown:
            var rows = RowWriter(format, [Column(name: "property"), Column(name: "value")], console)
            for pair in json.map ?? [] { try rows.write([pair.key, pair.value]) }
            try rows.finish()
        case .table:
            let width = lines.map(\.name.columns).max() ?? 0
            for line in lines {
                let name = console.paint(line.name.padded(to: width), .faint)
                try console.out.write("\(name)  \(line.text)\n")
            }
        }
    }
}
