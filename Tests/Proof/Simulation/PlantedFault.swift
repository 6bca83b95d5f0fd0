internal import SystemPackage
internal import YaprakSimulator
internal import YaprakStorage

/// What a wrong engine would do, planted behind a launch: a simulation is believed when it finds that.
package enum PlantedFault: Sendable {
    /// The files of a folder are gone.
    case loss(of: String)
    /// A call of the next launch fails, and its script does not say so.
    case failure(SimulationScript.FaultedCall, nth: Int)

    func apply(to disk: MemoryFileSystem) {
        switch self {
        case .loss(let folder):
            for name in disk.names(FilePath(folder)) { disk.remove(FilePath(folder).appending(name)) }
        case .failure(let call, let nth):
            disk.plan(DiskError.Operation(rawValue: call.rawValue), nth: nth, .error(.ioError))
        }
    }
}
