// Declares what the locks and the storage call of Darwin and the C library of Linux does not have; the rest is that of
// Linux, whose types may have other widths. Nothing here is ever run.
@_exported import Glibc

public var F_FULLFSYNC: Int32 { 51 }
public var F_NOCACHE: Int32 { 48 }
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
