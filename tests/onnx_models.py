"""Models whose answers a test can work out."""
from typing import List, Sequence

from onnx_files import FLOAT, onnx_model


def linear_model(weights: Sequence[Sequence[float]], bias: Sequence[float]) -> bytes:
    """scores = data * weights + bias, for a batch of any size."""
    rows, columns = len(weights), len(bias)
    flat = [value for row in weights for value in row]
    return onnx_model([("MatMul", ["data", "w"], ["product"]), ("Add", ["product", "b"], ["scores"])],
                      [("data", FLOAT, ("batch", rows))], [("scores", FLOAT, ("batch", columns))],
                      {"w": ((rows, columns), flat), "b": ((columns,), bias)})


def linear_answer(weights: Sequence[Sequence[float]], bias: Sequence[float], row: Sequence[float]) -> List[float]:
    return [sum(value * line[column] for value, line in zip(row, weights)) + bias[column] for column in range(len(bias))]


def picture_model(channels: int, height: int, width: int) -> bytes:
    """The largest value of each colour, of shape batch x channels x 1 x 1."""
    return onnx_model([("GlobalMaxPool", ["image"], ["colours"])], [("image", FLOAT, ("batch", channels, height, width))],
                      [("colours", FLOAT, ("batch", channels, 1, 1))])
