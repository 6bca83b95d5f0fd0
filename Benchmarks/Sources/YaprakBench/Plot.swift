import Foundation

/// Lines of cost over size, one panel per measure, both axes logarithmic.
struct Plot {
    private let points: [Growth.Point]
    private let colors = ["Yaprak": "#1b7f4b", "LMDB": "#b5541c", "Dictionary": "#4a5fc1"]
    private let panel = (width: 300.0, height: 220.0, margin: 50.0)

    init(_ points: [Growth.Point]) { self.points = points }

    var svg: String {
        var measures: [String] = []
        for point in points where !measures.contains(point.measure) { measures.append(point.measure) }
        let width = Double(measures.count) * (panel.width + panel.margin) + panel.margin
        let height = panel.height + 2 * panel.margin
        let panels = measures.enumerated().map { index, measure in
            let left = panel.margin + Double(index) * (panel.width + panel.margin)
            return "<g transform=\"translate(\(left) \(panel.margin))\">\(draw(measure))</g>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" font-family="sans-serif" font-size="11">
            <rect width="100%" height="100%" fill="white"/>
            \(panels.joined(separator: "\n"))
            </svg>

            """
    }

    private func draw(_ measure: String) -> String {
        let own = points.filter { $0.measure == measure }
        let xs = own.map { log10(Double($0.rows)) }
        let ys = own.map { log10($0.nanoseconds) }
        let (x0, x1) = (xs.min()!.rounded(.down), max(xs.max()!.rounded(.up), xs.min()! + 1))
        let (y0, y1) = (ys.min()!.rounded(.down), max(ys.max()!.rounded(.up), ys.min()! + 1))
        func x(_ value: Double) -> Double { (value - x0) / (x1 - x0) * panel.width }
        func y(_ value: Double) -> Double { panel.height - (value - y0) / (y1 - y0) * panel.height }

        var lines = ["<text x=\"0\" y=\"-12\" font-weight=\"bold\">\(measure)</text>"]
        for decade in stride(from: x0, through: x1, by: 1) {
            lines.append("<path d=\"M\(x(decade)) 0V\(panel.height)\" stroke=\"#ddd\"/>")
            lines.append(
                "<text x=\"\(x(decade))\" y=\"\(panel.height + 16)\" text-anchor=\"middle\">10\(superscript(decade))</text>"
            )
        }
        for decade in stride(from: y0, through: y1, by: 1) {
            lines.append("<path d=\"M0 \(y(decade))H\(panel.width)\" stroke=\"#ddd\"/>")
            lines.append(
                "<text x=\"-6\" y=\"\(y(decade) + 4)\" text-anchor=\"end\">\(Finding.text(pow10(decade), .nanoseconds))</text>"
            )
        }
        var names: [String] = []
        for point in own where !names.contains(point.name) { names.append(point.name) }
        for name in names {
            let line = own.filter { $0.name == name }.map { (x(log10(Double($0.rows))), y(log10($0.nanoseconds))) }
            let color = colors[name] ?? "#666"
            let way = line.map { "\($0.0),\($0.1)" }.joined(separator: " ")
            lines.append("<polyline points=\"\(way)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\"/>")
            for (px, py) in line { lines.append("<circle cx=\"\(px)\" cy=\"\(py)\" r=\"3\" fill=\"\(color)\"/>") }
            if let (px, py) = line.last {
                lines.append(
                    "<text x=\"\(px - 6)\" y=\"\(py - 7)\" text-anchor=\"end\" fill=\"\(color)\">\(name)</text>")
            }
        }
        return lines.joined(separator: "\n")
    }

    private func superscript(_ exponent: Double) -> String {
        String(Int(exponent)).map { String(Array("⁰¹²³⁴⁵⁶⁷⁸⁹")[$0.wholeNumberValue ?? 0]) }.joined()
    }

    private func pow10(_ exponent: Double) -> Double { pow(10, exponent) }
}
