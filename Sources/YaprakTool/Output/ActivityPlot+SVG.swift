import ToolSupport
import Yaprak

extension ActivityPlot {
    /// How many bars are readable in a picture.
    static let pictureBarsMax = 256

    private static let width = 800.0
    private static let left = 64.0
    private static let right = 24.0
    private static let panelHeight = 150.0

    /// A picture of two panels, commits and changed records, above one axis of time. Light on dark where the reader's
    /// system is dark.
    func svg(title: String) -> String {
        let panels = panels
        let note = spanText + (outsidersText.map { "; " + $0 } ?? "")
        let height = 64 + Double(panels.count) * (Self.panelHeight + 58) + 18
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="800" height="\(Self.number(height))" \
            viewBox="0 0 800 \(Self.number(height))" role="img" aria-labelledby="title description" \
            font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif">
            <title id="title">\(Self.escaped(title))</title>
            <desc id="description">\(Self.escaped(panels[0].title)), \(Self.escaped(note))</desc>
            <style>
            .paper { fill: #ffffff } .head { fill: #1f2328; font-size: 18px; font-weight: 600 }
            .note { fill: #59636e; font-size: 13px } .label { fill: #59636e; font-size: 12px }
            .grid { stroke: #d1d9e0; stroke-width: 1 } .axis { stroke: #818b98; stroke-width: 1 }
            .bar0 { fill: #1a7f37 } .bar1 { fill: #0969da }
            @media (prefers-color-scheme: dark) {
            .paper { fill: #0d1117 } .head { fill: #f0f6fc } .note, .label { fill: #9198a1 }
            .grid { stroke: #2f353d } .axis { stroke: #656c76 } .bar0 { fill: #3fb950 } .bar1 { fill: #4493f8 }
            }
            </style>
            <rect class="paper" width="800" height="\(Self.number(height))"/>
            <text class="head" x="24" y="32">\(Self.escaped(title))</text>
            <text class="note" x="24" y="52">\(Self.escaped(note))</text>

            """
        var top = 92.0
        for (index, panel) in panels.enumerated() {
            svg += self.panel(panel.title, panel.values, top: top, style: "bar\(axis == .time ? index : 1)")
            top += Self.panelHeight + 58
        }
        return svg + "</svg>\n"
    }

    private func panel(_ title: String, _ values: [Int], top: Double, style: String) -> String {
        let bottom = top + Self.panelHeight, room = Self.width - Self.left - Self.right
        let (most, marks) = Self.scale(values)
        var svg = "<text class=\"note\" x=\"24\" y=\"\(Self.number(top - 12))\">\(Self.escaped(title))</text>\n"
        for mark in marks {
            let y = bottom - Double(mark) / Double(most) * Self.panelHeight
            svg += "<line class=\"\(mark == 0 ? "axis" : "grid")\" x1=\"\(Self.number(Self.left))\" "
            svg +=
                "x2=\"\(Self.number(Self.width - Self.right))\" y1=\"\(Self.number(y))\" y2=\"\(Self.number(y))\"/>\n"
            svg += "<text class=\"label\" text-anchor=\"end\" x=\"\(Self.number(Self.left - 8))\" "
            svg += "y=\"\(Self.number(y + 4))\">\(mark.grouped)</text>\n"
        }
        let step = room / Double(values.count), gap = min(2, step * 0.15)
        for (index, value) in values.enumerated() where value > 0 {
            let height = max(0.75, Double(value) / Double(most) * Self.panelHeight)
            svg += "<rect class=\"\(style)\" x=\"\(Self.number(Self.left + Double(index) * step + gap / 2))\" "
            svg += "y=\"\(Self.number(bottom - height))\" width=\"\(Self.number(step - gap))\" "
            svg += "height=\"\(Self.number(height))\"/>\n"
        }
        for tick in ticks(max: 9) {
            let x = Self.left + tick.place * step
            guard x <= Self.width - Self.right + 0.5 else { continue }
            svg += "<line class=\"axis\" x1=\"\(Self.number(x))\" x2=\"\(Self.number(x))\" "
            svg += "y1=\"\(Self.number(bottom))\" y2=\"\(Self.number(bottom + 5))\"/>\n"
            svg += "<text class=\"label\" text-anchor=\"middle\" x=\"\(Self.number(x))\" "
            svg += "y=\"\(Self.number(bottom + 18))\">\(tick.label)</text>\n"
        }
        return svg
    }

    /// A coordinate, to a hundredth.
    private static func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        if hundredths % 100 == 0 { return "\(hundredths / 100)" }
        let sign = hundredths < 0 ? "-" : "", rest = abs(hundredths)
        return "\(sign)\(rest / 100).\(rest % 100 < 10 ? "0" : "")\(rest % 100)"
    }

    /// Text that is nothing but text in XML.
    private static func escaped(_ text: String) -> String {
        text.plain.escaping(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"])
    }
}
