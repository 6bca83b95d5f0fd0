/// Room for the bytes of a key within a row: what the last field of a packed class is made of.
///
/// Nothing reads or writes it by its name. A row's size decides what it costs: allocators hand out steps of 16 bytes, of
/// which glibc keeps 8. So rows of 40, 56, 72, … bytes waste nothing, and the room is what the other fields leave of that.
package protocol KeyRoom: BitwiseCopyable {
    init()
}

@usableFromInline
package struct KeyRoom8: KeyRoom {
    @usableFromInline let word: UInt64 = 0
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom16: KeyRoom {
    @usableFromInline let first = KeyRoom8()
    @usableFromInline let rest = KeyRoom8()
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom24: KeyRoom {
    @usableFromInline let first = KeyRoom16()
    @usableFromInline let rest = KeyRoom8()
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom32: KeyRoom {
    @usableFromInline let first = KeyRoom24()
    @usableFromInline let rest = KeyRoom8()
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom40: KeyRoom {
    @usableFromInline let first = KeyRoom32()
    @usableFromInline let rest = KeyRoom8()
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom48: KeyRoom {
    @usableFromInline let first = KeyRoom40()
    @usableFromInline let rest = KeyRoom8()
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom56: KeyRoom {
    @usableFromInline let first = KeyRoom48()
    @usableFromInline let rest = KeyRoom8()
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom64: KeyRoom {
    @usableFromInline let first = KeyRoom56()
    @usableFromInline let rest = KeyRoom8()
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom72: KeyRoom {
    @usableFromInline let first = KeyRoom64()
    @usableFromInline let rest = KeyRoom8()
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom96: KeyRoom {
    @usableFromInline let first = KeyRoom72()
    @usableFromInline let rest = KeyRoom24()
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom104: KeyRoom {
    @usableFromInline let first = KeyRoom96()
    @usableFromInline let rest = KeyRoom8()
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom128: KeyRoom {
    @usableFromInline let first = KeyRoom104()
    @usableFromInline let rest = KeyRoom24()
    @inlinable package init() {}
}

@usableFromInline
package struct KeyRoom136: KeyRoom {
    @usableFromInline let first = KeyRoom128()
    @usableFromInline let rest = KeyRoom8()
    @inlinable package init() {}
}
