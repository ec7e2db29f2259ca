"""Writes PNG with what Python has: zlib."""

from __future__ import annotations

import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # grey, grey and alpha, RGB, RGB and alpha
_LEVEL = 3  # larger files than at 6 by a few per cent, three times as fast


def png_bytes(width: int, height: int, channels: int, pixels: bytes) -> bytes:
    """The file of an image of `height` rows from above, each of `width` pixels of `channels`
    bytes."""
    stride = width * channels
    if width < 1 or height < 1 or channels not in _COLOUR_TYPES:
        raise ValueError(f"an image of {width} x {height} pixels of {channels} channels is none")
    if len(pixels) != stride * height:
        raise ValueError(f"{len(pixels)} bytes are not {width} x {height} x {channels}")
    rows = b"".join(b"\0" + pixels[at : at + stride] for at in range(0, len(pixels), stride))
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", head),
            _chunk(b"IDAT", zlib.compress(rows, _LEVEL)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data) & 0xFFFFFFFF
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
