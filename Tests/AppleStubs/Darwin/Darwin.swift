// Declares what the locks, the storage and the tool call of Darwin and the C library of Linux does not have; the rest is that
// of Linux, whose types may have other widths. Nothing here is ever run.
@_exported import Glibc

public var F_FULLFSYNC: Int32 { 51 }
public var RENAME_EXCL: Int32 { 4 }

public func renameatx_np(
    _ fromfd: Int32, _ from: UnsafePointer<CChar>, _ tofd: Int32, _ to: UnsafePointer<CChar>, _ flags: UInt32
) -> Int32 { fatalError() }

public struct qos_class_t {}

public func qos_class_self() -> qos_class_t { fatalError() }

@discardableResult public func pthread_attr_set_qos_class_np(
    _ attr: UnsafeMutablePointer<pthread_attr_t>, _ qos_class: qos_class_t, _ relative_priority: Int32
) -> Int32 { fatalError() }

@discardableResult public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>, _ attr: UnsafePointer<pthread_attr_t>?,
    _ start_routine: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ arg: UnsafeMutableRawPointer?
) -> Int32 { fatalError() }

@discardableResult public func pthread_cond_timedwait_relative_np(
    _ cond: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
    _ reltime: UnsafePointer<timespec>?
) -> Int32 { fatalError() }

// MARK: Starting programs: what is prepared is a pointer

public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer

@discardableResult public func posix_spawn_file_actions_init(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>?
) -> Int32 { fatalError() }

@discardableResult public func posix_spawn_file_actions_destroy(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>?
) -> Int32 { fatalError() }

@discardableResult public func posix_spawn_file_actions_adddup2(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>?, _ filedes: Int32, _ newfiledes: Int32
) -> Int32 { fatalError() }

@discardableResult public func posix_spawn_file_actions_addopen(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>?, _ filedes: Int32, _ path: UnsafePointer<CChar>?,
    _ oflag: Int32, _ mode: mode_t
) -> Int32 { fatalError() }

@discardableResult public func posix_spawnattr_init(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>?) -> Int32 {
    fatalError()
}

@discardableResult public func posix_spawnattr_destroy(
    _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>?
) -> Int32 { fatalError() }

@discardableResult public func posix_spawnattr_setsigdefault(
    _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>?, _ signals: UnsafePointer<sigset_t>?
) -> Int32 { fatalError() }

@discardableResult public func posix_spawnattr_setflags(
    _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>?, _ flags: Int16
) -> Int32 { fatalError() }

@discardableResult public func posix_spawn(
    _ pid: UnsafeMutablePointer<pid_t>?, _ path: UnsafePointer<CChar>?,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>?, _ attributes: UnsafePointer<posix_spawnattr_t?>?,
    _ argv: UnsafePointer<UnsafeMutablePointer<CChar>?>?, _ envp: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 { fatalError() }

// MARK: What Darwin does not have

@available(*, unavailable) public func fdatasync(_ fd: Int32) -> Int32 { fatalError() }

@available(*, unavailable) public func posix_fallocate(_ fd: Int32, _ offset: off_t, _ len: off_t) -> Int32 {
    fatalError()
}

@available(*, unavailable)
public func posix_fadvise(_ fd: Int32, _ offset: off_t, _ len: off_t, _ advice: Int32) -> Int32 { fatalError() }
