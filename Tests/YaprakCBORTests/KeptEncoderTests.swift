import TestSupport
import Testing

@testable import YaprakCBOR

/// Types that keep an encoder, and use it when their own `encode(to:)` has returned.
///
/// The encoder was one object, which was at the value of the moment: a kept one wrote into that.
@Suite(.bounded) struct KeptEncoderTests {
    final class Hold { var encoder: (any Encoder)?; var branch: (any Encoder)? }
    enum Key: CodingKey { case a, b, c }

    struct Keeper: Encodable {
        let hold: Hold
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .a)
            hold.encoder = encoder
            hold.branch = container.superEncoder(forKey: .b)
            var branch = hold.branch!.singleValueContainer()
            try branch.encode(2)
        }
    }

    struct Late: Encodable {
        enum Use: CaseIterable { case none, keyed, unkeyed, single, empty, value }
        let use: Use
        let hold = Hold()
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(Keeper(hold: hold), forKey: .a)
            let kept = hold.encoder!
            switch use {
            case .none: break
            case .keyed:
                var other = kept.container(keyedBy: Key.self)
                try? other.encode(3, forKey: .b)
                _ = other.nestedUnkeyedContainer(forKey: .c)
            case .unkeyed:
                var other = kept.unkeyedContainer()
                try? other.encode(3)
            case .single:
                var other = kept.singleValueContainer()
                try? other.encode(3)
            case .empty: _ = kept.container(keyedBy: Key.self)
            case .value: try? CBORValue.bytes([3]).encode(to: kept)
            }
            try container.encode(4, forKey: .c)
        }
    }

    @Test(arguments: Late.Use.allCases)
    func `An encoder that was kept writes into no other value`(use: Late.Use) throws {
        let encoder = CBOREncoder()
        if use == .none {
            #expect(try CBORValue(decoding: encoder.encode(Late(use: use))) == ["a": ["a": 1, "b": 2], "c": 4])
        } else {
            let error = #expect(throws: EncodingError.self) { try encoder.encode([Late(use: use)]) }
            #expect(error.flatMap { CBORError(under: $0) }?.code == .misuse)
        }
        #expect(try encoder.encode(1) == [1])
    }

    @Test func `An encoder of a superclass that was kept throws when its map has ended`() throws {
        let hold = Hold()
        #expect(try CBORValue(decoding: CBOREncoder().encode(Keeper(hold: hold))) == ["a": 1, "b": 2])
        for kept in [hold.branch, hold.encoder] {
            var keyed = kept?.container(keyedBy: Key.self)
            #expect(throws: EncodingError.self) { try keyed?.encode(3, forKey: .a) }
            var single = kept?.singleValueContainer()
            #expect(throws: EncodingError.self) { try single?.encode(3) }
            var list = kept?.unkeyedContainer()
            #expect(throws: EncodingError.self) { try list?.encode(3) }
        }
    }

    static let key = CodingUserInfoKey(rawValue: "kept")!

    /// Goes on in encoders of its superclass, and looks at what it was given in each.
    struct Chain: Encodable {
        let levels: Int
        func encode(to encoder: any Encoder) throws {
            #expect(encoder.userInfo[KeptEncoderTests.key] as? Int == 1)
            #expect(encoder.codingPath.count == encoder.codingPath.count { $0.stringValue == "super" })
            var container = encoder.container(keyedBy: Key.self)
            if levels > 0 { try Chain(levels: levels - 1).encode(to: container.superEncoder()) }
        }
    }

    /// Asks a container that has ended for encoders.
    struct TooLate: Encodable {
        func encode(to encoder: any Encoder) throws {
            let hold = Hold()
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(Keeper(hold: hold), forKey: .a)
            var kept = hold.encoder!.container(keyedBy: Key.self)
            var list = kept.nestedUnkeyedContainer(forKey: .c)
            for other in [kept.superEncoder(), list.superEncoder()] {
                #expect(other.userInfo[KeptEncoderTests.key] as? Int == 1)
            }
        }
    }

    @Test func `An encoder that has no place knows what the types may look up`() {
        var encoder = CBOREncoder()
        encoder.userInfo[Self.key] = 1
        #expect(throws: EncodingError.self) { try encoder.encode(Chain(levels: CBORItem.depthMax + 20)) }
        #expect(throws: EncodingError.self) { try encoder.encode(TooLate()) }
    }

    @Test func `An encoder that is kept in what it was given goes with it`() throws {
        final class Given: @unchecked Sendable { var encoder: (any Encoder)? }
        struct Keeper: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                (encoder.userInfo[KeptEncoderTests.key] as? Given)?.encoder = container.superEncoder()
            }
        }
        weak var seen: Given?
        func encode() throws {
            let given = Given()
            seen = given
            var encoder = CBOREncoder()
            encoder.userInfo[Self.key] = given
            _ = try encoder.encode([Keeper()])
        }
        try encode()
        #expect(seen == nil)
    }
}
