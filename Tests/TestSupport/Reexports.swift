// Every randomized test draws from it.
@_exported public import struct ToolSupport.SplitMix64
