/// The run of these tests under the trait `InvariantChecks`, in which a tree looks at its whole shape after each change.
enum CheckedTrees {
    /// Whether this is that run: a change of a tree costs as much as the tree is large, so it takes a part of what is random.
    static var isOn: Bool {
        #if InvariantChecks
            true
        #else
            false
        #endif
    }
}
