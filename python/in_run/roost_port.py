"""A port for those who bind it only later: none that the kernel gives away by itself.

It is spoken for in the way of Roost's runners (src/runner/rendezvous.cc): by the name of an
abstract socket, which this process keeps as long as it lives.
"""

import random
import socket

FIRST = 12000  # above what runners hold
_held = []  # type: list[socket.socket]


def bound_socket() -> socket.socket:
    """Listens at a free port of this machine, as torch's function of that purpose does."""
    end = _first_of_the_kernel()
    ports = list(range(FIRST, end))
    random.shuffle(ports)
    for port in ports:
        name = _take_name(port)
        if name is None:
            continue
        listener = _listen(port)
        if listener is not None:
            _held.append(name)
            return listener
        name.close()
    return _listen(0) or _fail()


def _first_of_the_kernel() -> int:
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
            return int(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return 32768


def _take_name(port: int) -> "socket.socket | None":
    name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        name.bind(f"\0roost-port-{port}")
        return name
    except OSError:
        name.close()
        return None


def _listen(port: int) -> "socket.socket | None":
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind(("", port))
        listener.listen(0)
        return listener
    except OSError:
        listener.close()
        return None


def _fail() -> socket.socket:
    raise RuntimeError("no port of this machine is free for torchrun's workers to meet at")
