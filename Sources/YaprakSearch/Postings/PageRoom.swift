/// Room for the bytes of a page within its object: the last field of its class.
///
///     ┌ header 16 ┬ label 8 ┬ tail 8 ┬ string 16 ┬ count 8 ┬ room: 16, 32, 48, … 768 ┐
///
/// Nothing reads or writes the room of a small page by its name. Allocators hand out steps of 16 bytes, of which glibc keeps 8:
/// so objects of these sizes waste nothing there but what a room has too much.
enum PageRoom {
    /// The bytes before the room.
    static let offset = 56
    static let step = 16
    static let bytesMax = 768

    /// An object with room for so many bytes, which are not there yet.
    static func makePage(_ key: PostingPage.Key, count: Int) -> PostingPage {
        let steps = max(1, (count + step - 1) / step)
        return switch steps / 8 {
        case 0: make(key, count, NoRoom.self, and: steps % 8)
        case 1: make(key, count, Room128.self, and: steps % 8)
        case 2: make(key, count, Room256.self, and: steps % 8)
        case 3: make(key, count, Both<Room256, Room128>.self, and: steps % 8)
        case 4: make(key, count, Room512.self, and: steps % 8)
        case 5: make(key, count, Both<Room512, Room128>.self, and: steps % 8)
        case 6 where steps % 8 == 0: SmallPage<Both<Room512, Room256>>(key, count: count)
        default: LargePage(key, count: count)
        }
    }

    /// - Parameter steps: how many more there are behind the room given.
    @inline(__always)
    private static func make<Most: Room>(
        _ key: PostingPage.Key, _ count: Int, _ most: Most.Type, and steps: Int
    ) -> PostingPage {
        switch steps {
        case 0: SmallPage<Most>(key, count: count)
        case 1: SmallPage<Both<Most, Room16>>(key, count: count)
        case 2: SmallPage<Both<Most, Room32>>(key, count: count)
        case 3: SmallPage<Both<Most, Both<Room32, Room16>>>(key, count: count)
        case 4: SmallPage<Both<Most, Room64>>(key, count: count)
        case 5: SmallPage<Both<Most, Both<Room64, Room16>>>(key, count: count)
        case 6: SmallPage<Both<Most, Both<Room64, Room32>>>(key, count: count)
        default: SmallPage<Both<Most, Both<Room64, Both<Room32, Room16>>>>(key, count: count)
        }
    }

    private typealias Room32 = Both<Room16, Room16>
    private typealias Room64 = Both<Room32, Room32>
    private typealias Room128 = Both<Room64, Room64>
    private typealias Room256 = Both<Room128, Room128>
    private typealias Room512 = Both<Room256, Room256>
}

protocol Room: BitwiseCopyable {
    init()
}

/// No bytes.
struct NoRoom: Room {}

struct Room16: Room {
    let words: (UInt64, UInt64) = (0, 0)
}

struct Both<First: Room, Second: Room>: Room {
    let first = First()
    let second = Second()
}

private final class SmallPage<Bytes: Room>: PostingPage, @unchecked Sendable {
    private var room = Bytes()

    override init(_ key: PostingPage.Key, count: Int) {
        super.init(key, count: count)
        assert(
            withUnsafePointer(to: &room) { UnsafeRawPointer($0) == UnsafeRawPointer(bytes) }, "no field is in between")
        assert(count <= MemoryLayout<Bytes>.size, "the room is large enough")
    }
}

/// A page of a single run that is longer than the largest room: it has memory of its own.
private final class LargePage: PostingPage, @unchecked Sendable {
    private let room: UnsafeMutablePointer<UInt8>

    override init(_ key: PostingPage.Key, count: Int) {
        room = .allocate(capacity: count)
        super.init(key, count: count)
        assert(bytes == UnsafePointer(room), "no field is in between")
    }

    deinit { room.deallocate() }
}
