"""Event files of TensorBoard in plain Python, for scripts that tests submit; Writer is used like a SummaryWriter."""
import os
import socket
import struct
import time

_TABLE = []
for _number in range(256):
    for _bit in range(8):
        _number = _number >> 1 ^ (0x82F63B78 if _number & 1 else 0)
    _TABLE.append(_number)


def masked_crc(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(event: bytes) -> bytes:
    length = struct.pack("<Q", len(event))
    return length + struct.pack("<I", masked_crc(length)) + event + struct.pack("<I", masked_crc(event))


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def number_field(field: int, number: int) -> bytes:
    return varint(field << 3) + varint(number)


def bytes_field(field: int, data: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(data)) + data


def double_field(field: int, number: float) -> bytes:
    return varint(field << 3 | 1) + struct.pack("<d", number)


def float_field(field: int, number: float) -> bytes:
    return varint(field << 3 | 5) + struct.pack("<f", number)


def plugin(name: str, content: bytes = b"") -> bytes:
    return bytes_field(9, bytes_field(1, bytes_field(1, name.encode()) + bytes_field(2, content)))


def tensor_of_strings(*strings: bytes) -> bytes:
    return bytes_field(8, number_field(1, 7) + b"".join(bytes_field(8, one) for one in strings))


class Writer:
    _files = 0

    def __init__(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        Writer._files += 1
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}.{Writer._files}"
        self.path = os.path.join(folder, name)
        self.file = open(self.path, "ab", buffering=0)
        self.file.write(record(double_field(1, time.time()) + bytes_field(3, b"brain.Event:2")))

    def add(self, tag: str, step: int, value: bytes, at: float = 0) -> None:
        self.file.write(self.event(tag, step, value, at))

    def event(self, tag: str, step: int, value: bytes, at: float = 0) -> bytes:
        summary = bytes_field(1, bytes_field(1, tag.encode()) + value)
        return record(double_field(1, at or time.time()) + number_field(2, step) + bytes_field(5, summary))

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        self.add(tag, step, float_field(2, value))
