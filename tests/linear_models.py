"""Small ONNX models, written byte by byte: tests of serving need neither PyTorch nor a package for ONNX."""
import struct
from typing import List, Sequence, Tuple, Union

FLOAT = 1
Dimension = Union[int, str]


def _number(value: int) -> bytes:
    out = b""
    while True:
        part, value = value & 0x7F, value >> 7
        out += bytes([part | (0x80 if value else 0)])
        if not value:
            return out


def _field(number: int, value: Union[int, bytes, str]) -> bytes:
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    content = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(content)) + content


def _value_info(name: str, shape: Sequence[Dimension]) -> bytes:
    dims = b"".join(_field(1, _field(1, d) if isinstance(d, int) else _field(2, d)) for d in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, FLOAT) + _field(2, dims)))


def _tensor(name: str, shape: Sequence[int], values: Sequence[float]) -> bytes:
    return (b"".join(_field(1, size) for size in shape) + _field(2, FLOAT) + _field(8, name)
            + _field(9, struct.pack(f"<{len(values)}f", *values)))


def _node(kind: str, inputs: Sequence[str], outputs: Sequence[str]) -> bytes:
    return b"".join(_field(1, one) for one in inputs) + b"".join(_field(2, one) for one in outputs) + _field(4, kind)


def linear_model(weights: Sequence[Sequence[float]], bias: Sequence[float], opset: int = 13) -> bytes:
    """scores = data * weights + bias, for a batch of any size."""
    rows, columns = len(weights), len(bias)
    flat = [value for row in weights for value in row]
    nodes: List[bytes] = [_node("MatMul", ["data", "w"], ["product"]), _node("Add", ["product", "b"], ["scores"])]
    graph = (b"".join(_field(1, node) for node in nodes) + _field(2, "linear")
             + _field(5, _tensor("w", (rows, columns), flat)) + _field(5, _tensor("b", (columns,), bias))
             + _field(11, _value_info("data", ("batch", rows))) + _field(12, _value_info("scores", ("batch", columns))))
    return _field(1, 7) + _field(2, "roost tests") + _field(7, graph) + _field(8, _field(1, "") + _field(2, opset))


def picture_model(channels: int, height: int, width: int) -> bytes:
    """The largest value of each colour: what GlobalMaxPool gives, of shape batch x channels x 1 x 1."""
    nodes = [_node("GlobalMaxPool", ["image"], ["colours"])]
    graph = (b"".join(_field(1, node) for node in nodes) + _field(2, "picture")
             + _field(11, _value_info("image", ("batch", channels, height, width)))
             + _field(12, _value_info("colours", ("batch", channels, 1, 1))))
    return _field(1, 7) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))


def linear_answer(weights: Sequence[Sequence[float]], bias: Sequence[float], row: Sequence[float]) -> Tuple[float, ...]:
    return tuple(sum(value * line[column] for value, line in zip(row, weights)) + bias[column] for column in range(len(bias)))
