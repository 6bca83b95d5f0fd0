// The one import. What programs use lives in the layers below; `YaprakCBOR` is a product of its own.
@_exported import YaprakCore
@_exported import YaprakExtensions
@_exported import YaprakLists
@_exported import YaprakModel
@_exported import YaprakQueries
@_exported import YaprakSearch

@_exported import struct SystemPackage.FilePath
