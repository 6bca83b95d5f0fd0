import Foundation
import Testing
import Yaprak

/// One scenario as it stands in `view-changes.json`.
struct Scenario: Decodable, Sendable, CustomTestStringConvertible {
    let id: String
    let kind: String
    let mappings: Mappings
    let initial: [String: [String]]?
    let final: [String: [String]]?
    let ops: [Op]?
    let visibleBefore: [Visible]?
    let visibleAfter: [Visible]?
    let expectedSections: [SectionEntry]?
    let expectedRows: [RowEntry]?
    let rangesAfter: [String: RangeAfter]?
    let queries: [Query]?

    var testDescription: String { id }

    struct Mappings: Decodable, Sendable {
        let groups: Groups
        let dynamicSections: Bool
        let config: [Step]
        let dependencies: [String: [Int]]?
        let consolidate: Consolidate?
    }

    /// A list of names, or a word that says all groups of the view, ascending.
    struct Groups: Decodable, Sendable {
        let names: [String]?
        init(from decoder: any Decoder) throws { names = try? [String](from: decoder) }
    }

    struct Consolidate: Decodable, Sendable {
        let threshold: Int
        let name: String
    }

    struct Step: Decodable, Sendable {
        let set: String
        let group: String?
        let kind: String?
        let length: Int?
        let offset: Int?
        let pin: String?
        let minLength: Int?
        let maxLength: Int?
        let grow: String?
        let value: Bool?
        let counts: [String: Int]?
    }

    struct Op: Decodable, Sendable {
        let op: String
        let group: String
        let index: Int?
        let key: String?
        let flags: [String]?
    }

    struct Visible: Decodable, Equatable, Sendable {
        let group: String
        let rows: [String]
    }

    struct SectionEntry: Decodable, Sendable {
        let type: String
        let section: Int
        var kind: SectionChange.Kind { type == "insert" ? .insert(section) : .delete(section) }
    }

    struct RowEntry: Decodable, Sendable, CustomStringConvertible {
        let type: String
        let from: [Int]?
        let to: [Int]?
        let key: String
        let changes: [String]?
        var description: String {
            let paths = [from, to].compactMap { $0.map { "\($0[0]).\($0[1])" } }
            return "\(type) \(paths.joined(separator: " → ")) (\(key))"
        }
    }

    struct RangeAfter: Decodable, Sendable {
        let length: Int
        let offsetFromBeginning: Int
    }

    struct Query: Decodable, Sendable {
        let when: String
        let q: String
        let group: String?
        let section: Int?
        let row: Int?
        let index: Int?
        let value: Int?
    }

    private struct File: Decodable { let scenarios: [Scenario] }

    static var all: [Scenario] {
        get throws {
            let url = Bundle.module.url(forResource: "view-changes", withExtension: "json", subdirectory: "Resources")!
            return try JSONDecoder().decode(File.self, from: Data(contentsOf: url)).scenarios
        }
    }

    func queries(when: String) -> [Query] { queries?.filter { $0.when == when } ?? [] }
}
