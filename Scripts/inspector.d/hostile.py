"""Clients that mean no good: connections by the thousand, with half a request, with garbage, and readers that do not read.

After each part the server has to answer as before, and has to have given back what the part took."""

import os
import random
import resource
import socket
import time

from client import Connection


def openings(count):
    """So many descriptors for this program, or as many as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 100
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    return min(count, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100)


def answers(inspector, cookie, seconds=20):
    """Whether a new connection gets an answer; one that is closed because there were too many tries again."""
    end = time.time() + seconds
    while time.time() < end:
        try:
            connection = Connection(inspector.port, cookie, seconds=5)
            try:
                return connection.ask("/api/status")[0] == 200
            finally:
                connection.close()
        except OSError:
            time.sleep(0.05)
        except EOFError:
            time.sleep(0.05)
    return False


def settled(inspector, most, seconds=20):
    """The open descriptors, when they are as few as before, or after so long."""
    end = time.time() + seconds
    while inspector.descriptors() > most and time.time() < end:
        time.sleep(0.05)
    return inspector.descriptors()


def attempt(port):
    """A connection that nobody has to take."""
    client = socket.socket()
    client.settimeout(5)
    try:
        client.connect(("127.0.0.1", port))
        return client
    except OSError:
        client.close()
        return None


def oneAfterTheOther(inspector, cookie, count, seed, check):
    """Whole requests, half ones, garbage and nothing at all, each on a connection of its own."""
    chance = random.Random(seed)
    before, memory = inspector.descriptors(), inspector.memory()[0]
    good = f"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:{inspector.port}\r\nCookie: {cookie}\r\n\r\n".encode()
    asked, answered = 0, 0
    for _ in range(count):
        client = attempt(inspector.port)
        if client is None:
            continue
        try:
            kind = chance.randrange(4)
            if kind == 0:
                asked += 1
                client.sendall(good)
                answered += client.recv(1 << 16).startswith(b"HTTP/1.1 200")
            elif kind == 1:
                client.sendall(good[:chance.randrange(len(good))])
            elif kind == 2:
                client.sendall(chance.randbytes(chance.randrange(1, 2000)))
        except OSError:
            pass
        finally:
            client.close()
    # A place is free a moment after its client went; at that moment a request may be refused.
    check(f"{count} connections one after the other: whole requests are answered", answered >= asked * 0.99,
          f"{answered} of {asked}")
    check("the server answers after them", answers(inspector, cookie))
    left = settled(inspector, before)
    check("all descriptors of them are given back", left <= before, f"{left}, before {before}")
    more = inspector.memory()[0] - memory
    check("they cost no memory", more < 64 << 20, f"{more >> 20} MiB more")


def atOnce(inspector, cookie, count, check):
    """As many connections as this program may open, at the same time."""
    count = openings(count)
    before, memory = inspector.descriptors(), inspector.memory()[0]
    clients, most, start = [], 0, time.monotonic()
    for number in range(count):
        client = attempt(inspector.port)
        if client:
            clients.append(client)
        if number % 500 == 0:
            most = max(most, inspector.descriptors())
    time.sleep(0.2)
    most = max(most, inspector.descriptors())

    def isOpen(client):
        client.setblocking(False)
        try:
            return client.recv(1) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    # Those that wait to be refused are open until then.
    end = time.monotonic() + 20
    opened = sum(isOpen(client) for client in clients)
    while opened > 256 and time.monotonic() < end:
        time.sleep(0.2)
        opened = sum(isOpen(client) for client in clients)
    # 256 is the limit; one that is refused is open until it is closed. A connection without a request is closed after 15 s:
    # on a machine that is so busy, the first ones are gone.
    seconds = time.monotonic() - start
    least = 200 if seconds < 10 else 1
    check(f"of {count} connections at once the server keeps the first ones only", least <= opened <= 256,
          f"{opened} after {seconds:.0f} s")
    check("its descriptors stay near its limit", most - before <= 256 + 200, f"{most - before} more")
    for client in clients:
        client.close()
    check("the server answers when they are gone", answers(inspector, cookie))
    left = settled(inspector, before)
    check("all descriptors of the connections at once are given back", left <= before, f"{left}, before {before}")
    more = inspector.memory()[0] - memory
    check("the connections at once cost no memory", more < 64 << 20, f"{more >> 20} MiB more")
    return count


def readersThatDoNotRead(inspector, cookie, check):
    """Clients that ask for much, again and again, and read nothing of it."""
    memory, clients = inspector.memory()[0], []
    request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{inspector.port}\r\nCookie: {cookie}\r\n\r\n".encode()
    for _ in range(20):
        client = attempt(inspector.port)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setblocking(False)
        try:
            for _ in range(200):
                client.send(request * 10)
        except OSError:
            pass
        clients.append(client)
    check("the server answers beside readers that do not read", answers(inspector, cookie))
    time.sleep(0.5)
    more = inspector.memory()[0] - memory
    check("readers that do not read cost little memory", more < 128 << 20, f"{more >> 20} MiB more")
    for client in clients:
        client.close()


def attack(inspector, count, seed, check):
    cookie = inspector.enter()
    # What the first answers open stays open.
    answers(inspector, cookie)
    oneAfterTheOther(inspector, cookie, count, seed, check)
    atOnce(inspector, cookie, count, check)
    readersThatDoNotRead(inspector, cookie, check)
    check("the server is the same process", inspector.process.poll() is None)
