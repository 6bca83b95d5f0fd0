import YaprakTrees

extension Draft {
    /// A write to a key takes away what was set aside under it.
    func replaceAside(of slot: Int, _ key: String, by after: RecordBox?) {
        guard let aside = directory.asideSlot(of: slot), !roots[aside].isEmpty else { return }
        guard let gone = tree.remove(key, from: &roots[aside]) else { return }
        frozen = nil
        // The removal of a record that only its bytes are left of is a removal, too.
        if after == nil { noteRemoval(ofAside: unsafeDowncast(gone, to: RecordBox.self), of: slot) }
    }
}
