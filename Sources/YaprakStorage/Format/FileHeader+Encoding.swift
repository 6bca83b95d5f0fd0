internal import YaprakModel

extension FileHeader {
    /// The 4096 bytes of the header.
    func encoded() -> [UInt8] {
        typealias Field = Layout.FileField
        var bytes = [UInt8](repeating: 0, count: Layout.fileHeaderBytes)
        bytes.replaceSubrange(0..<8, with: kind.magic)
        bytes.put(Layout.major, at: Field.major)
        bytes.put(Layout.minor, at: Field.minor)
        bytes.put(UInt32(Layout.fileHeaderBytes), at: Field.headerLength)
        bytes.put(incompatible, at: Field.incompatible)
        bytes.put(readOnlyCompatible, at: Field.readOnlyCompatible)
        bytes.put(compatible, at: Field.compatible)
        bytes.put(databaseID.high, at: Field.databaseHigh)
        bytes.put(databaseID.low, at: Field.databaseLow)
        bytes.put(epoch, at: Field.epoch)
        bytes.put(first, at: Field.first)
        bytes.put(previousFirst, at: Field.previousFirst)
        bytes.put(previousEpoch, at: Field.previousEpoch)
        bytes.put(previousEnd, at: Field.previousEnd)
        bytes.put(previousChain, at: Field.previousChain)
        bytes.put(attested, at: Field.attested)
        bytes.put(salt, at: Field.salt)
        bytes.put(Layout.checksumXXH64, at: Field.checksum)
        bytes.put(Layout.codecBitLZ4, at: Field.codecs)
        bytes.put(padShift, at: Field.padShift)
        bytes.put(maxStored, at: Field.maxStored)
        bytes.put(maxRaw, at: Field.maxRaw)
        bytes.put(UInt64(bitPattern: createdNs), at: Field.createdNs)
        let name = Array(creator.utf8.prefix(Layout.creatorBytes))
        bytes.replaceSubrange(Field.creator..<Field.creator + name.count, with: name)
        bytes.put(UInt32(ancestors.count), at: Field.ancestorCount)
        for (index, ancestor) in ancestors.enumerated() {
            let at = Field.ancestors + index * Layout.ancestorBytes
            bytes.put(ancestor.id.high, at: at)
            bytes.put(ancestor.id.low, at: at + 8)
            bytes.put(ancestor.through, at: at + 16)
        }
        bytes.put(XXH64.hash(Array(bytes[..<Field.sum]), seed: 0), at: Field.sum)
        return bytes
    }
}
