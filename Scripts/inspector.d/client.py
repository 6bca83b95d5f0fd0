"""A client of the inspector on plain sockets: builds the tool, starts it, gets in with the token, asks. Needs no package."""

import os
import select
import socket
import subprocess
import sys
import time

HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def build(*products, release=False):
    """The folder with these products, built with the inspector."""
    with open(os.path.join(HOME, "Scripts", "traits")) as file:
        traits = file.read().strip()
    # The traits in the same order each time, for the sake of what is compiled already.
    os.environ["SWIFT_DETERMINISTIC_HASHING"] = "1"
    command = ["swift", "build", "--traits", traits] + (["-c", "release"] if release else [])
    for product in products:
        subprocess.run(command + ["--product", product], cwd=HOME, check=True, stdout=sys.stderr)
    return subprocess.run(
        command + ["--show-bin-path"], cwd=HOME, check=True, capture_output=True, text=True).stdout.strip()


class Inspector:
    """`yaprak inspect` or another program with an inspector, and the address it printed."""

    def __init__(self, binaries, database):
        self.start(subprocess.Popen(
            [os.path.join(binaries, "yaprak"), "inspect", database], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"}))

    @classmethod
    def of(cls, process):
        """That of a program which says its address first."""
        made = cls.__new__(cls)
        made.start(process)
        return made

    def start(self, process):
        self.process = process
        line = process.stdout.readline()
        self.address = (line if isinstance(line, str) else line.decode()).split()[1]
        self.base = self.address.split("/?")[0]
        self.port = int(self.base.rsplit(":", 1)[1])

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()

    def enter(self):
        """The cookie that the token gives."""
        client = Connection(self.port)
        status, headers, _ = client.ask("/?" + self.address.split("?", 1)[1])
        client.close()
        assert status == 200, status
        return headers["set-cookie"].split(";")[0]

    def memory(self):
        """Bytes of the process now, and the most it ever had."""
        sizes = {}
        with open(f"/proc/{self.process.pid}/status") as file:
            for line in file:
                name, _, rest = line.partition(":")
                if name in ("VmRSS", "VmHWM"):
                    sizes[name] = int(rest.split()[0]) * 1024
        return sizes["VmRSS"], sizes["VmHWM"]

    def processorSeconds(self):
        """How long its threads have run, in all, those that have ended included: clock_getcpuclockid of the process."""
        return time.clock_gettime((~self.process.pid << 3) | 2)

    def descriptors(self):
        """How many files and sockets the process has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


class Connection:
    """A connection that stays open for one request after the other."""

    def __init__(self, port, cookie=None, seconds=60):
        self.port, self.cookie = port, cookie
        self.socket = socket.create_connection(("127.0.0.1", port), seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def close(self):
        self.socket.close()

    def send(self, target, *headers):
        lines = [f"GET {target} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        if self.cookie:
            lines.append(f"Cookie: {self.cookie}")
        self.socket.sendall("\r\n".join(lines + list(headers) + ["", ""]).encode())

    def ask(self, target, *headers):
        """The status, the headers with small names, and the body."""
        self.send(target, *headers)
        while b"\r\n\r\n" not in self.rest:
            self.receive()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(fields.get("content-length", 0))
        while len(self.rest) < length:
            self.receive()
        body, self.rest = self.rest[:length], self.rest[length:]
        return int(first.split()[1]), fields, body

    def receive(self):
        part = self.socket.recv(1 << 18)
        if not part:
            raise EOFError("the server closed the connection")
        self.rest += part


class Followers:
    """Connections that follow `/events`; a thread could read them, but one call between two measurements is enough."""

    def __init__(self, port, cookie, count):
        self.bytes, self.events = 0, 0
        self.poll = select.epoll()
        self.connections = {}
        for _ in range(count):
            connection = Connection(port, cookie)
            connection.send("/events")
            connection.socket.setblocking(False)
            self.connections[connection.socket.fileno()] = connection
            self.poll.register(connection.socket.fileno(), select.EPOLLIN)
        self.buffer = bytearray(1 << 18)

    def read(self, seconds):
        """Reads what comes within a time; how many connections had something."""
        seen = 0
        for descriptor, _ in self.poll.poll(seconds):
            count = self.connections[descriptor].socket.recv_into(self.buffer)
            if count == 0:
                raise EOFError("the server closed a follower")
            seen += 1
            self.bytes += count
            self.events += self.buffer.count(b"event: commits", 0, count)
        return seen

    def close(self):
        for connection in self.connections.values():
            connection.close()
        self.poll.close()
