import YaprakTrees

extension Draft {
    /// A write to a key takes away what was set aside under it.
    func replaceAside(of slot: Int, _ key: String, by after: RecordBox?) {
        guard let aside = directory.asideSlot(of: slot) else { return }
        if !roots[aside].isEmpty, let row = tree.remove(key, from: &roots[aside]) {
            frozen = nil
            let gone = unsafeDowncast(row, to: RecordBox.self)
            // The removal of a record that only its bytes are left of is a removal, too.
            if after == nil {
                noteRemoval(ofAside: gone, of: slot)
            } else {
                replacedAsides[slot, default: [:]][key] = gone
            }
        } else if after == nil, let gone = replacedAsides[slot]?.removeValue(forKey: key) {
            // What took its place in this transaction went again: the bytes are in the log, and have to go from there.
            noteRemoval(ofAside: gone, of: slot)
        }
    }
}
