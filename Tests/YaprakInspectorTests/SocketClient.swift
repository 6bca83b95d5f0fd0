#if Inspector
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A client that says exactly the bytes it is given, on a connection to 127.0.0.1 or to ::1.
    final class SocketClient {
        private let descriptor: Int32

        /// Connects; `nil` if the server does not take it.
        init?(port: Int) {
            descriptor = makeSocket(AF_INET)
            guard descriptor >= 0 else { return nil }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            // `deinit` closes it.
            guard result == 0 else { return nil }
        }

        /// Connects to ::1; `nil` if the server does not take it.
        init?(newerLoopbackPort port: Int) {
            descriptor = makeSocket(AF_INET6)
            guard descriptor >= 0 else { return nil }
            var address = newerLoopback(port: port)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
            guard result == 0 else { return nil }
        }

        deinit { close(descriptor) }

        /// Sends bytes; false if the server has gone.
        @discardableResult
        func send(_ text: String) -> Bool {
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                #if canImport(Darwin)
                    let flags: Int32 = 0
                #else
                    let flags = Int32(MSG_NOSIGNAL)
                #endif
                let count = bytes.withUnsafeBytes { write(descriptor, $0, flags) }
                guard count > 0 else { return false }
                bytes = bytes.dropFirst(count)
            }
            return true
        }

        private func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
            #if canImport(Darwin)
                Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
            #elseif canImport(Glibc)
                Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
            #else
                Musl.send(descriptor, bytes.baseAddress, bytes.count, flags)
            #endif
        }

        /// What comes until the server closes, until `isEnough`, or for so long. `isClosed` says whether it closed.
        func receive(
            seconds: Int, until isEnough: (String) -> Bool = { _ in false }
        ) -> (text: String, isClosed: Bool) {
            var received: [UInt8] = []
            let end = ContinuousClock.now + .seconds(seconds)
            repeat {
                var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&item, 1, 50) > 0 else { continue }
                var part = [UInt8](repeating: 0, count: 65536)
                let count = recv(descriptor, &part, part.count, 0)
                if count <= 0 { return (String(decoding: received, as: UTF8.self), true) }
                received += part[..<count]
                let text = String(decoding: received, as: UTF8.self)
                if isEnough(text) { return (text, false) }
            } while ContinuousClock.now < end
            return (String(decoding: received, as: UTF8.self), false)
        }
    }

    /// Another program that listens on ::1, and on nothing else.
    final class SocketListener {
        private let descriptor: Int32
        private(set) var port = 0

        /// Whether there is a ::1 to listen on.
        static var isPossible: Bool { SocketListener() != nil }

        /// Listens on a port that is free; `nil` if that can't be.
        init?() {
            descriptor = makeSocket(AF_INET6)
            guard descriptor >= 0 else { return nil }
            var address = newerLoopback(port: 0)
            var count = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let result = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    guard bind(descriptor, address, count) == 0, listen(descriptor, 8) == 0 else { return Int32(-1) }
                    return getsockname(descriptor, address, &count)
                }
            }
            guard result == 0 else { return nil }
            port = Int(UInt16(bigEndian: address.sin6_port))
        }

        deinit { close(descriptor) }
    }

    private func makeSocket(_ family: Int32) -> Int32 {
        #if canImport(Glibc)
            socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket(family, SOCK_STREAM, 0)
        #endif
    }

    private func newerLoopback(port: Int) -> sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(port).bigEndian
        inet_pton(AF_INET6, "::1", &address.sin6_addr)
        return address
    }
#endif
