/// What the sections of a checkpoint are. The numbers stand in files.
///
/// | kind | name | items |
/// | --- | --- | --- |
/// | 1 records | collection | [key, object], [key, object, metadata], [key, object, metadata or undefined, version] |
/// | 2 set aside | collection | the same; records that did not decode when they were last bound |
/// | 3 derived root | extension | byte strings: the encoded root, in pieces |
/// | 4 primary root | extension | the same |
/// | 5 primary steps | extension | steps that were logged while the extension was not registered |
///
/// The info of a section is a CBOR map: `"v"` the version of a collection's records, `"t"` the version tag of an
/// extension; `"p"` and `"m"` the prototypes of a collection in CBOR, see ``SectionPrototypes``; `"u"` true if no database
/// adopts a derived root.
package enum SectionKind: UInt16 {
    case records = 1
    case setAside = 2
    case derivedRoot = 3
    case primaryRoot = 4
    case primarySteps = 5
}
