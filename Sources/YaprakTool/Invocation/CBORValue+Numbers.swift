import Yaprak
import YaprakCBOR

extension CBORValue {
    static func number(_ commit: CommitNumber) -> CBORValue { .unsigned(commit.rawValue) }
    static func count(_ value: some BinaryInteger) -> CBORValue { .integer(Int64(value)) }
}
