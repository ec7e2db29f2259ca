"""Whether the exported model answers as PyTorch does."""

from __future__ import annotations

import importlib
import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from .input_shapes import other_sizes
from .problem import Problem
from .served_model import ServedModel
from .tensors import Tensor
from .torch_export import FlatModel

_TYPES = {
    "float32": "FP32",
    "float64": "FP64",
    "float16": "FP16",
    "int64": "INT64",
    "int32": "INT32",
    "int16": "INT16",
    "int8": "INT8",
    "uint8": "UINT8",
    "bool": "BOOL",
}
_TORCH_TYPES = {protocol: torch for torch, protocol in _TYPES.items()}


class Comparison(NamedTuple):
    runtime: str  # with what it was run; "" if it was not
    sizes: List[str]
    largest: float  # difference of two numbers
    relative: float  # that, by the largest number of its output
    reason: str  # why it was not compared, or what differs too much; "" if all is well


def compare(flat: FlatModel, path: str, tolerance: float) -> Comparison:
    """By onnxruntime of the environment, else by Roost's own runtime."""
    try:
        session = _Onnxruntime(path)
    except ImportError:
        session = None
    except Exception as error:
        reason = f"ONNX Runtime refuses the exported model: {str(error).strip()[:1000]}"
        return Comparison("onnxruntime", [], math.nan, math.nan, reason)
    if session is not None:
        return _compare(flat, session, tolerance)
    try:
        served = _Served(flat.torch, path)
    except Problem as problem:
        reason = f"the environment has no onnxruntime, and {problem}"
        return Comparison("", [], math.nan, math.nan, reason)
    with served.model:
        return _compare(flat, served, tolerance)


class _Onnxruntime:
    def __init__(self, path: str) -> None:
        runtime = importlib.import_module("onnxruntime")
        self.name = f"onnxruntime {runtime.__version__}"
        self._session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])

    def run(self, values: Dict[str, Any], wanted: List[str]) -> List[Any]:
        torch = importlib.import_module("torch")
        arrays = {name: value.numpy() for name, value in values.items()}
        return [torch.from_numpy(array) for array in self._session.run(wanted, arrays)]


class _Served:
    name = "roost serve"

    def __init__(self, torch: Any, path: str) -> None:
        self._torch = torch
        self.model = ServedModel(path)

    def run(self, values: Dict[str, Any], wanted: List[str]) -> List[Any]:
        sent = {name: self._sent(value) for name, value in values.items()}
        answers = self.model.infer(sent)
        return [self._got(answers[name]) for name in wanted]

    def _sent(self, value: Any) -> Tensor:
        datatype = _TYPES[str(value.dtype).replace("torch.", "")]
        return Tensor(datatype, tuple(value.shape), _bytes_of(value.contiguous()))

    def _got(self, tensor: Tensor) -> Any:
        torch = self._torch
        dtype = getattr(torch, _TORCH_TYPES[tensor.datatype])
        if not tensor.data:
            return torch.zeros(tensor.shape, dtype=dtype)
        return torch.frombuffer(bytearray(tensor.data), dtype=dtype).reshape(tensor.shape)


def _bytes_of(value: Any) -> bytes:
    """Without NumPy, which PyTorch can do without."""
    import ctypes

    size = value.numel() * value.element_size()
    return ctypes.string_at(value.data_ptr(), size) if size else b""


def _compare(flat: FlatModel, session: Any, tolerance: float) -> Comparison:
    largest = relative = 0.0
    sizes: List[str] = []
    reason = ""
    for number, changed in enumerate(other_sizes(flat.inputs)):
        values = flat.example(changed, seed=number + 1)
        shape = _sizes_text(changed) or "the shapes given"
        sizes.append(shape)
        try:
            answers = session.run(
                {i.name: v for i, v in zip(flat.inputs, values)}, flat.output_names
            )
        except Exception as error:
            text = str(error).strip()[:1000]
            reason = reason or f"{session.name} fails at {shape}: {text}"
            largest = relative = math.nan
            continue
        for name, expected, answer in zip(flat.output_names, flat.outputs(values), answers):
            found = _difference(flat.torch, expected, answer)
            if found is None:
                reason = reason or (
                    f"the output {name} at {shape} is of shape {list(answer.shape)}, "
                    f"in PyTorch of {list(expected.shape)}"
                )
                continue
            scale = (
                float(expected.abs().max())
                if expected.numel() and expected.dtype.is_floating_point
                else 1.0
            )
            scale = scale if math.isfinite(scale) and scale > 0 else 1.0
            largest = max(largest, found)
            relative = max(relative, found / scale)
            if not found <= _allowed(flat.torch, expected, tolerance) * max(1.0, scale):
                reason = (
                    reason or f"the output {name} at {shape} differs from PyTorch's by {found:.3g}"
                )
    return Comparison(session.name, sizes, largest, relative, reason)


def _allowed(torch: Any, expected: Any, tolerance: float) -> float:
    return max(tolerance, 1e-2) if expected.dtype in (torch.float16, torch.bfloat16) else tolerance


def _difference(torch: Any, expected: Any, answer: Any) -> Optional[float]:
    if expected.shape != answer.shape:
        return None
    if not expected.numel():
        return 0.0
    left, right = expected.detach().to(torch.float64), answer.to(torch.float64)
    both = (left == right) | (torch.isnan(left) & torch.isnan(right))
    gap = torch.where(both, torch.zeros_like(left), (left - right).abs())
    worst = float(gap.max())
    return math.inf if math.isnan(worst) else worst


def _sizes_text(changed: Dict[str, int]) -> str:
    return ", ".join(f"{name} {size}" for name, size in changed.items())


def sizes_text(sizes: Sequence[str]) -> str:
    return " and ".join(sizes)
