"""Small ONNX models, written byte by byte: a model file is a protobuf message, and so few of its fields are needed that no
package is. `python3 tests/onnx_models.py FOLDER` writes one of each."""
import pathlib
import random
import struct
import sys

FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32, UINT64 = range(1, 14)
FORMATS = {FLOAT: "f", UINT8: "B", INT8: "b", UINT16: "H", INT16: "h", INT32: "i", INT64: "q", BOOL: "?", DOUBLE: "d",
           UINT32: "I", UINT64: "Q"}


def _varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field, value):
    return _varint(field << 3) + _varint(value)


def _bytes(field, value):
    value = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _value(name, element, shape):
    """A size is a number, or the name of one that varies."""
    sizes = b"".join(_bytes(1, _number(1, size) if isinstance(size, int) else _bytes(2, size)) for size in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, element) + _bytes(2, sizes)))


def _attribute(name, value):
    if isinstance(value, float):
        return _bytes(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, int):
        return _bytes(1, name) + _number(3, value) + _number(20, 2)
    if isinstance(value, (str, bytes)):
        return _bytes(1, name) + _bytes(4, value) + _number(20, 3)
    return _bytes(1, name) + b"".join(_number(8, part) for part in value) + _number(20, 7)


class Model:
    """Put together node after node: Model().input(...).node("Add", ["x", "x"], ["y"]).output(...).bytes()"""

    def __init__(self, opset=17):
        self.opset = opset
        self.graph = _bytes(2, "test")

    def input(self, name, element, shape):
        self.graph += _bytes(11, _value(name, element, shape))
        return self

    def output(self, name, element, shape):
        self.graph += _bytes(12, _value(name, element, shape))
        return self

    def node(self, op, inputs, outputs, **attributes):
        node = b"".join(_bytes(1, name) for name in inputs) + b"".join(_bytes(2, name) for name in outputs) + _bytes(4, op)
        node += b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())
        self.graph += _bytes(1, node)
        return self

    def weights(self, name, element, shape, values):
        raw = struct.pack("<%d%s" % (len(values), FORMATS[element]), *values)
        return self._tensor(name, element, shape, _bytes(9, raw))

    def weights_in(self, file, name, element, shape, offset=0, length=None):
        """Weights in a file beside the model."""
        entries = {"location": file, "offset": str(offset)}
        if length is not None:
            entries["length"] = str(length)
        external = b"".join(_bytes(13, _bytes(1, key) + _bytes(2, value)) for key, value in entries.items())
        return self._tensor(name, element, shape, external + _number(14, 1))

    def _tensor(self, name, element, shape, data):
        sizes = b"".join(_number(1, size) for size in shape)
        self.graph += _bytes(5, sizes + _number(2, element) + _bytes(8, name) + data)
        return self

    def bytes(self):
        return _number(1, 8) + _bytes(2, "roost-test") + _bytes(7, self.graph) + _bytes(8, _bytes(1, "") + _number(2, self.opset))

    def write(self, path):
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.bytes())
        return path


def adding(width=2):
    """y = x + x, any number of rows."""
    return Model().input("x", FLOAT, ["batch", width]).node("Add", ["x", "x"], ["y"]).output("y", FLOAT, ["batch", width])


def null():
    """Gives what it gets: what serving costs without a model."""
    return Model().input("x", FLOAT, ["batch", 1]).node("Identity", ["x"], ["y"]).output("y", FLOAT, ["batch", 1])


def same(element):
    """Gives what it gets, of any type; also strings."""
    return Model().input("x", element, ["n"]).node("Identity", ["x"], ["y"]).output("y", element, ["n"])


def perceptron(sizes=(64, 128, 128, 10), seed=1):
    """A small network with weights of its own: MatMul, Add, Relu."""
    draw = random.Random(seed)
    model = Model().input("x", FLOAT, ["batch", sizes[0]])
    name = "x"
    for i, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
        is_last = i == len(sizes) - 2
        model.weights("w%d" % i, FLOAT, [rows, columns], [draw.gauss(0, rows ** -0.5) for _ in range(rows * columns)])
        model.weights("b%d" % i, FLOAT, [columns], [draw.gauss(0, 0.1) for _ in range(columns)])
        model.node("MatMul", [name, "w%d" % i], ["m%d" % i])
        model.node("Add", ["m%d" % i, "b%d" % i], ["y" if is_last else "a%d" % i])
        if not is_last:
            model.node("Relu", ["a%d" % i], ["r%d" % i])
        name = "r%d" % i
    return model.output("y", FLOAT, ["batch", sizes[-1]])


def two_inputs():
    """ids of any length and a mask: the sum of the ids where the mask is 1."""
    model = Model().input("ids", INT64, ["batch", "length"]).input("mask", INT64, ["batch", "length"])
    model.weights("axes", INT64, [1], [1]).node("Mul", ["ids", "mask"], ["kept"])
    model.node("ReduceSum", ["kept", "axes"], ["y"], keepdims=1)
    return model.output("y", INT64, ["batch", 1])


def picking():
    """The row of a table for each index; an index that is not there fails, and only for who sent it."""
    model = Model().input("index", INT64, ["batch"]).weights("table", FLOAT, [3, 2], [0, 1, 10, 11, 20, 21])
    return model.node("Gather", ["table", "index"], ["y"], axis=0).output("y", FLOAT, ["batch", 2])


def slow(steps=2000, width=256):
    """Multiplies for a while, in many nodes: to be cut off in."""
    model = Model().input("x", FLOAT, ["batch", width]).weights("w", FLOAT, [width, width], [0.0] * (width * width))
    for i in range(steps):
        model.node("MatMul", ["x" if i == 0 else "v%d" % i, "w"], ["y" if i == steps - 1 else "v%d" % (i + 1)])
    return model.output("y", FLOAT, ["batch", width])


def write_external(folder, columns=4, rows=2):
    """y = x W with W = all ones in model.onnx.data beside model.onnx. The file of weights is sparse, so large ones cost
    little: columns=320_000_000 makes 2.5 GB, of zeros but for the first."""
    folder = pathlib.Path(folder)
    size = rows * columns * 4
    model = Model().input("x", FLOAT, ["batch", rows]).weights_in("model.onnx.data", "w", FLOAT, [rows, columns], 0, size)
    model.node("MatMul", ["x", "w"], ["y"]).output("y", FLOAT, ["batch", columns])
    path = model.write(folder / "model.onnx")
    with open(folder / "model.onnx.data", "wb") as file:
        file.write(struct.pack("<f", 1.0) * min(rows * columns, 1 << 16))
        file.truncate(size)
    return path


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, model in {"adding": adding(), "null": null(), "strings": same(STRING), "perceptron": perceptron(),
                        "two_inputs": two_inputs(), "picking": picking(), "slow": slow()}.items():
        print(model.write(folder / (name + ".onnx")))
    print(write_external(folder / "external"))


if __name__ == "__main__":
    main()
