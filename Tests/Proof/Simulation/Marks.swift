internal import Yaprak
internal import YaprakCBOR

/// Marks on keys: primary, so that its steps are logged.
struct Marks: PrimaryExtension {
    let name = "marks"

    enum Operation: Codable, Sendable, Equatable { case toggle(Int) }
    typealias Changes = [Int]

    func makeRoot() -> [Int] { [] }

    func apply(_ operation: Operation, to root: inout [Int]) -> [Int]? {
        guard case .toggle(let key) = operation else { return nil }
        if let index = root.firstIndex(of: key) { root.remove(at: index) } else { root.append(key) }
        root.sort()
        return root
    }

    func operations(following changes: NetChanges, root: [Int], in context: ExtensionContext) -> [Operation] { [] }

    func encode(_ root: [Int]) throws -> [UInt8]? { try CBOREncoder().encode(root) }
    func decode(_ bytes: [UInt8]) throws -> [Int] { try CBORDecoder().decode([Int].self, from: bytes) }
}
