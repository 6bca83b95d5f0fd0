import Yaprak

/// A list or a board that is not what it should be.
struct OutOfStep: Error, CustomStringConvertible {
    let description: String

    /// A change that does not fit what is shown.
    init(_ change: some CustomStringConvertible, _ reason: String) { description = "\(change): \(reason)" }

    /// Throws if two lists of the same sections differ, and says where they do first.
    static func check(
        _ sections: [ShownList.Section], equal others: [ShownList.Section], _ place: @autoclosure () -> String
    ) throws {
        guard sections != others else { return }
        for (section, other) in zip(sections, others) where section != other {
            let row = zip(section.rows, other.rows).prefix { $0 == $1 }.count
            throw OutOfStep(
                "\(place()), row \(row) of \(section.name)",
                "\(text(section.rows, row)) where it should be \(text(other.rows, row))")
        }
        throw OutOfStep(place(), "\(sections.map(\.name)) where it should be \(others.map(\.name))")
    }

    private static func text(_ lines: [ShownList.Line], _ row: Int) -> String {
        guard row < lines.count else { return "nothing" }
        return "\(lines[row].key), \(lines[row].flight.status), expected \(lines[row].flight.expected)"
    }
}
