"""Tensors as bytes, and as files of NumPy, without NumPy: a run for a native model may lack it."""

from __future__ import annotations

import ast
import struct
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple, Union

from .problem import Problem

# Open Inference Protocol -> NumPy's letter, struct's letter, bytes of one.
_TYPES: Dict[str, Tuple[str, str, int]] = {
    "BOOL": ("b1", "?", 1),
    "UINT8": ("u1", "B", 1),
    "UINT16": ("u2", "H", 2),
    "UINT32": ("u4", "I", 4),
    "UINT64": ("u8", "Q", 8),
    "INT8": ("i1", "b", 1),
    "INT16": ("i2", "h", 2),
    "INT32": ("i4", "i", 4),
    "INT64": ("i8", "q", 8),
    "FP16": ("f2", "e", 2),
    "FP32": ("f4", "f", 4),
    "FP64": ("f8", "d", 8),
}
_BY_NUMPY = {letters: name for name, (letters, _, _) in _TYPES.items()}
_MAGIC = b"\x93NUMPY"


class Tensor(NamedTuple):
    datatype: str  # of the Open Inference Protocol
    shape: Tuple[int, ...]
    data: bytes  # little-endian, row by row; BYTES: each with its length before it


def count(shape: Sequence[int]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def from_values(values: Any, datatype: str) -> Tensor:
    """Of numbers, texts or nested lists of them."""
    flat: List[Any] = []
    shape = _flatten(values, flat)
    if datatype == "BYTES":
        return Tensor(datatype, shape, b"".join(map(_one_text, flat)))
    letter = _letter(datatype)
    try:
        if letter == "?":
            flat = [bool(value) for value in flat]
        elif letter in "efd":
            flat = [float(value) for value in flat]
        return Tensor(datatype, shape, struct.pack(f"<{len(flat)}{letter}", *flat))
    except (struct.error, ValueError, TypeError, OverflowError) as error:
        raise Problem(f"the values cannot be {datatype}: {error}") from None


def to_values(tensor: Tensor) -> Any:
    """Nested lists of its shape; a number if it has none."""
    flat: List[Any] = []
    if tensor.datatype == "BYTES":
        at = 0
        while at < len(tensor.data):
            (size,) = struct.unpack_from("<I", tensor.data, at)
            flat.append(tensor.data[at + 4 : at + 4 + size].decode("utf-8", "replace"))
            at += 4 + size
    else:
        total = count(tensor.shape)
        flat = list(struct.unpack(f"<{total}{_letter(tensor.datatype)}", tensor.data))
    return _nested(flat, list(tensor.shape))


def numpy_type(datatype: str) -> str:
    """For numpy.frombuffer."""
    return "<" + _TYPES[datatype][0]


def type_of_numpy(letters: str) -> str:
    """Of dtype.str, like "<f4"; "" if the protocol has none."""
    return _BY_NUMPY.get(letters.lstrip("<=|"), "")


def read_npy(content: bytes, name: str) -> Tensor:
    if content[:6] != _MAGIC or len(content) < 12:
        raise Problem(f"{name} is no .npy file")
    size, begin = (2, 10) if content[6] == 1 else (4, 12)
    (length,) = struct.unpack_from("<H" if size == 2 else "<I", content, 8)
    try:
        head = ast.literal_eval(content[begin : begin + length].decode("latin-1"))
        described, shape = str(head["descr"]), tuple(int(n) for n in head["shape"])
    except (ValueError, SyntaxError, KeyError, TypeError):
        raise Problem(f"the head of {name} cannot be read") from None
    datatype = type_of_numpy(described)
    if not datatype:
        raise Problem(f"{name} holds {described}; only little-endian numbers can be scored")
    if head.get("fortran_order") and len(shape) > 1:
        raise Problem(f"{name} is in Fortran's order; save numpy.ascontiguousarray(...) of it")
    data = content[begin + length :]
    if len(data) != count(shape) * _TYPES[datatype][2]:
        raise Problem(f"{name} is cut short: its shape needs another number of bytes")
    return Tensor(datatype, shape, data)


def write_npy(tensor: Tensor) -> bytes:
    shape = "(" + "".join(f"{size}, " for size in tensor.shape) + ")"
    letters = _TYPES[tensor.datatype][0]
    descr = ("|" if _TYPES[tensor.datatype][2] == 1 else "<") + letters
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    room = -(len(head) + 11) % 64
    head += b" " * room + b"\n"
    return _MAGIC + b"\x01\x00" + struct.pack("<H", len(head)) + head + tensor.data


def _letter(datatype: str) -> str:
    if datatype not in _TYPES:
        raise Problem(f"tensors of {datatype} cannot be read or written here")
    return _TYPES[datatype][1]


def _one_text(value: Any) -> bytes:
    content = value if isinstance(value, bytes) else str(value).encode()
    return struct.pack("<I", len(content)) + content


def _flatten(values: Any, flat: List[Any]) -> Tuple[int, ...]:
    if not isinstance(values, (list, tuple)):
        flat.append(values)
        return ()
    shapes = [_flatten(value, flat) for value in values]
    if any(shape != shapes[0] for shape in shapes):
        raise Problem("the lists are not all of one length")
    return (len(values),) + (shapes[0] if shapes else ())


def _nested(flat: List[Any], shape: List[int]) -> Union[Any, List[Any]]:
    if not shape:
        return flat[0] if flat else None
    if len(shape) == 1:
        return flat
    step = count(shape[1:])
    return [_nested(flat[n * step : (n + 1) * step], shape[1:]) for n in range(shape[0])]
