internal import ToolSupport

/// An anomaly hidden in a history that is sound otherwise: what a checker must catch to be believed.
package enum PlantedAnomaly {
    /// A history of `count` transactions with one anomaly of a kind in its middle.
    package static func history(_ kind: Anomaly.Kind, count: Int, seed: UInt64) -> History {
        var serial = SerialHistory(seed: seed)
        serial.add(count / 2)
        plant(kind, in: &serial)
        serial.add(count / 2)
        return serial.history
    }

    private static let x: Int32 = 1_000_000
    private static let y: Int32 = 1_000_001

    private static func plant(_ kind: Anomaly.Kind, in serial: inout SerialHistory) {
        switch kind {
        case .internal: serial.plant([.append(x, 1), serial.readList(x, [])])
        case .abortedRead:
            serial.plant([.append(x, 1)], .failed)
            serial.plant([serial.readList(x, [1])])
        case .intermediateRead:
            serial.plant([.append(x, 1), .append(x, 2)])
            serial.plant([serial.readList(x, [1])])
            serial.plant([serial.readList(x, [1, 2])])
        case .garbageRead: serial.plant([.read(x, 77)])
        case .duplicate:
            serial.plant([.append(x, 1)])
            serial.plant([serial.readList(x, [1, 1])])
        case .incompatibleOrder:
            serial.plant([.append(x, 1)])
            serial.plant([.append(x, 2)])
            serial.plant([serial.readList(x, [1, 2])])
            serial.plant([serial.readList(x, [2, 1])])
        case .cyclicVersions:
            serial.plant([.read(x, 2), .write(x, 1)])
            serial.plant([.read(x, 1), .write(x, 2)])
        case .dirtyWrite:
            serial.plant([.append(x, 1), .append(y, 1)])
            serial.plant([.append(x, 2), .append(y, 2)])
            serial.plant([serial.readList(x, [1, 2]), serial.readList(y, [2, 1])])
        case .circularInformation:
            serial.plant([.append(x, 1), serial.readList(y, [2])])
            serial.plant([.append(y, 2), serial.readList(x, [1])])
        case .readSkew:
            serial.plant([.append(x, 1)])
            serial.plant([serial.readList(x, [1]), .append(x, 2)])
            serial.plant([serial.readList(x, [1]), .append(x, 3)])
            serial.plant([serial.readList(x, [1, 2, 3])])
        case .writeSkew:
            serial.plant([.write(x, 1), .write(y, 1)])
            serial.plant([.read(x, 1), .read(y, 1), .write(x, 2)])
            serial.plant([.read(x, 1), .read(y, 1), .write(y, 2)])
        case .staleRead:
            serial.plant([.append(x, 1)], overlapping: false)
            serial.plant([serial.readList(x, [])], overlapping: false)
            serial.plant([serial.readList(x, [1])], overlapping: false)
        }
    }
}
