"""Small ONNX models, written byte by byte: a model file is a protobuf message, and so few of its fields are needed that no
package is."""
import struct
from typing import Dict, List, Sequence, Tuple, Union

Size = Union[int, str]  # fixed, or the name of one that varies
Value = Tuple[str, int, Sequence[Size]]  # name, type, shape

FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32, UINT64, BFLOAT16 = (
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16)


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def blob(field: int, value: Union[bytes, str]) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def read_fields(message: bytes) -> Dict[int, List[Union[int, bytes]]]:
    """The fields of a message: numbers as int, everything else as bytes."""
    out: Dict[int, List[Union[int, bytes]]] = {}
    at = 0

    def next_varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = next_varint()
        if tag & 7 == 0:
            value: Union[int, bytes] = next_varint()
        else:
            assert tag & 7 == 2, tag
            size = next_varint()
            value = message[at:at + size]
            at += size
        out.setdefault(tag >> 3, []).append(value)
    return out


def tensor_proto(shape: Sequence[int], kind: int, raw: bytes) -> bytes:
    return b"".join(number(1, part) for part in shape) + number(2, kind) + blob(9, raw)


def _value(name: str, kind: int, shape: Sequence[Size]) -> bytes:
    dims = b"".join(blob(1, blob(2, part) if isinstance(part, str) else number(1, part)) for part in shape)
    return blob(1, name) + blob(2, blob(1, number(1, kind) + blob(2, dims)))


def onnx_model(nodes: Sequence[Tuple[str, Sequence[str], Sequence[str]]], inputs: Sequence[Value], outputs: Sequence[Value],
               weights: Dict[str, Tuple[Sequence[int], Sequence[float]]] = {}) -> bytes:
    """The bytes of a model: nodes are (operator, inputs, outputs), weights are floats."""
    graph = b"".join(blob(1, b"".join(blob(1, name) for name in taken) + b"".join(blob(2, name) for name in given) + blob(4, op))
                     for op, taken, given in nodes)
    graph += blob(2, "graph")
    for name, (shape, values) in weights.items():
        graph += blob(5, tensor_proto(shape, FLOAT, struct.pack(f"<{len(values)}f", *values)) + blob(8, name))
    graph += b"".join(blob(11, _value(*value)) for value in inputs) + b"".join(blob(12, _value(*value)) for value in outputs)
    return number(1, 8) + blob(7, graph) + blob(8, blob(1, "") + number(2, 13))


def identity_model(*inputs: Value) -> bytes:
    """Gives every input back, under its name and "_out"."""
    return onnx_model([("Identity", [name], [f"{name}_out"]) for name, _, _ in inputs], inputs,
                      [(f"{name}_out", kind, shape) for name, kind, shape in inputs])
