internal import YaprakModel

/// The first lines; nobody reads thousands.
func shortened(_ lines: [String], to count: Int = 200) -> [String] {
    lines.count <= count ? lines : lines.prefix(count) + ["… \((lines.count - count).counted("line")) more"]
}
