"""What passes between `roost serve` and a worker: a head in JSON, and bytes that nobody looks into.

A frame is the size of the head (4 bytes), the size of the body (8 bytes), both little-endian, the
head and the body. src/score/worker_frames.h is the other side.
"""

import json
import socket
import struct
from typing import Any, Dict, Optional, Tuple

_SIZES = struct.Struct("<IQ")
_AT_ONCE = 64 * 1024

Head = Dict[str, Any]


class Channel:
    """One side of the socket. Questions and answers alternate, so nothing is ever read ahead."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def receive(self) -> Optional[Tuple[Head, bytes]]:
        """The next frame; None when the other side is gone."""
        data = self._end.recv(_AT_ONCE)
        while data and len(data) < _SIZES.size:
            more = self._end.recv(_AT_ONCE)
            if not more:
                return None
            data += more
        if not data:
            return None
        head_size, body_size = _SIZES.unpack_from(data)
        split = _SIZES.size + head_size
        if len(data) < split + body_size:
            whole = bytearray(split + body_size)
            whole[: len(data)] = data
            if not self._fill(memoryview(whole)[len(data) :]):
                return None
            head, body = whole[_SIZES.size : split], bytes(memoryview(whole)[split:])
        else:
            head, body = bytearray(data[_SIZES.size : split]), data[split:]
        return json.loads(head.decode("utf-8")), body

    def send(self, head: Head, body: bytes = b"") -> None:
        text = json.dumps(head).encode("ascii")
        start = _SIZES.pack(len(text), len(body)) + text
        if len(body) <= _AT_ONCE:
            self._end.sendall(start + body)
        else:
            self._end.sendall(start)
            self._end.sendall(body)

    def _fill(self, place: memoryview) -> bool:
        while len(place):
            count = self._end.recv_into(place)
            if count == 0:
                return False
            place = place[count:]
        return True
