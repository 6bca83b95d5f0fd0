internal import SystemPackage
internal import YaprakModel

extension DiskError {
    /// Whether space ran out: a full device, a quota, a limit on the size of a file.
    var isAboutSpace: Bool { errno == .noSpace || errno == .diskQuotaExceeded || errno == .fileTooLarge }

    /// Whether something else is in place of a regular file: a directory, a link, a pipe, a socket.
    var isAboutNoFile: Bool { operation == .open && Self.ofNoFile.contains(errno) }

    /// What systems answer that are asked to open something else. Of a socket Linux says that there is no such address, Darwin
    /// that the operation is not supported on it; on Linux the same number says that a file can't be opened.
    #if canImport(Darwin)
        private static let ofNoFile: [Errno] = [
            .invalidArgument, .isDirectory, .tooManySymbolicLinkLevels, .noSuchAddressOrDevice, .notSupportedOnSocket,
        ]
    #else
        private static let ofNoFile: [Errno] = [
            .invalidArgument, .isDirectory, .tooManySymbolicLinkLevels, .noSuchAddressOrDevice,
        ]
    #endif

    /// Whether a file that can't be read says nothing more: it is gone, is no file, or the device does not give it back. Any
    /// other failure is about the process, its rights or its descriptors, and the file may say something to another.
    var saysNothing: Bool { isAboutNoFile || Self.ofWhatIsLost.contains(errno) }

    private static let ofWhatIsLost: [Errno] = {
        let errors: [Errno] = [.noSuchFileOrDirectory, .ioError, .staleNFSFileHandle, .badMessage, .noData]
        #if os(Linux)
            // EUCLEAN and EREMOTEIO: a file system that finds itself damaged, a device behind a network.
            return errors + [Errno(rawValue: 117), Errno(rawValue: 121)]
        #else
            return errors
        #endif
    }()

    /// Whether a sync failed. What the device holds is then unknown, and another sync may succeed without writing.
    var isFailedSync: Bool {
        switch operation {
        case .syncData, .sync, .syncDirectory: true
        default: false
        }
    }

    /// The error as a `DatabaseError`, for work on `file`.
    func asDatabaseError(writing: Bool, file: String? = nil) -> DatabaseError {
        // A file is opened under its temporary name and keeps it here after the rename. The place names the final one.
        let known = FileName.lasting(name)
        let cause = DiskError(operation, known?.name ?? name, errno)
        let place = DatabaseError.Place(file: file ?? known?.path ?? (name.isEmpty ? nil : name))
        if isFailedSync {
            return DatabaseError(
                .syncFailed,
                "The device failed to confirm a write. Copy the directory to another device, then open it again.",
                place: place, cause: cause)
        }
        if operation == .list, errno == .fileTooLarge {
            return DatabaseError(
                .overLimit,
                "A directory has more than \(FormatLimits.directoryEntriesMax) names. Move away what is not the database's.",
                place: place, cause: cause)
        }
        if isAboutSpace, writing {
            return DatabaseError(
                .diskFull, "There is no space left for \(operation.rawValue). Free some and go on.", place: place,
                cause: cause)
        }
        switch errno {
        case .permissionDenied, .notPermitted, .readOnlyFileSystem:
            return DatabaseError(
                .permissionDenied, "The file system refused \(operation.rawValue). Check owner and mode.", place: place,
                cause: cause)
        default:
            return DatabaseError(
                writing ? .writeFailed : .ioFailed,
                "The file system failed at \(operation.rawValue). Check the device and the limits of the process.",
                place: place, cause: cause)
        }
    }
}

/// Runs `body` and turns a `DiskError` into a `DatabaseError`.
func translatingDiskErrors<T>(
    writing: Bool, file: String? = nil, _ body: () throws -> T
) throws(DatabaseError) -> T {
    do {
        return try body()
    } catch let error as DatabaseError {
        throw error
    } catch let error as DiskError {
        throw error.asDatabaseError(writing: writing, file: file)
    } catch {
        throw DatabaseError(.ioFailed, "An unexpected error came up.", cause: error)
    }
}
