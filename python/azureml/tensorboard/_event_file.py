"""A file of TensorBoard's: records of protocol buffers, each with two checksums."""

from __future__ import annotations

import os
import socket
import struct
import time
from typing import Any, BinaryIO, List

_POLYNOMIAL = 0x82F63B78  # of CRC-32C, bits reversed
_MASK = 0xA282EAD8


class EventFile:
    """One file of events in a folder, which is made."""

    def __init__(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}"
        number = 0
        while os.path.exists(os.path.join(folder, f"{name}.{number}")):
            number += 1
        self.path = os.path.join(folder, f"{name}.{number}")
        self._file: BinaryIO = open(self.path, "wb")  # noqa: SIM115
        self._write(_double(1, time.time()) + _bytes(3, b"brain.Event:2"))

    def add_scalar(self, name: str, value: float, step: int, at: float) -> None:
        scalar = _bytes(1, name.encode()) + _tag(2, 5) + struct.pack("<f", _single(value))
        event = _double(1, at) + _tag(2, 0) + _varint(step) + _bytes(5, _bytes(1, scalar))
        self._write(event)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> EventFile:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _write(self, event: bytes) -> None:
        length = struct.pack("<Q", len(event))
        self._file.write(length + _checksum(length) + event + _checksum(event))


def _tag(field: int, kind: int) -> bytes:
    return _varint(field << 3 | kind)


def _bytes(field: int, content: bytes) -> bytes:
    return _tag(field, 2) + _varint(len(content)) + content


def _double(field: int, value: float) -> bytes:
    return _tag(field, 1) + struct.pack("<d", value)


def _single(value: float) -> float:
    """What fits a number of 32 bits; what is too large becomes infinite."""
    try:
        struct.pack("<f", value)
        return value
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _make_table() -> List[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _make_table()


def _checksum(content: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in content:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF)
