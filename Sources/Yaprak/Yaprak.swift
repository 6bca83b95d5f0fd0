// The one import. What programs use lives in the floors below.
@_exported import YaprakCBOR
@_exported import YaprakCore
@_exported import YaprakExtensions
@_exported import YaprakLists
@_exported import YaprakStorage

@_exported import struct SystemPackage.FilePath
