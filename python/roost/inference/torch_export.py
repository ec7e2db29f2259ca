"""torch.onnx.export, whichever of its exporters this PyTorch has."""

from __future__ import annotations

import importlib
import inspect
import logging
import os
import re
import shutil
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .input_shapes import InputShape, dimensions, other_sizes
from .problem import Problem

_LARGEST_FILE = 1_500_000_000
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Exported(NamedTuple):
    path: str
    exporter: str  # "dynamo" or "TorchScript"
    opset: int
    note: str  # why it was not the other exporter; ""


class FlatModel:
    """The model with named inputs and a flat list of named outputs, as ONNX has them."""

    def __init__(self, torch: Any, model: Any, inputs: Sequence[InputShape]) -> None:
        self.torch = torch
        self.model = model
        self.scripted = isinstance(model, torch.jit.ScriptModule)
        parameters = [] if self.scripted else _parameters(model)
        self.by_keyword = bool(inputs[0].name) and {i.name for i in inputs} <= set(parameters)
        own = iter(parameters)
        self.inputs = [
            one._replace(name=one.name or next(own, f"input_{number}"))
            for number, one in enumerate(inputs)
        ]
        first = self._call(self.example({}))
        self.output_names = [name for name, _ in _flatten(torch, first, "")]
        self.axes = self._axes()

    def example(self, changed: Dict[str, int], seed: int = 0) -> List[Any]:
        torch = self.torch
        generator = torch.Generator().manual_seed(seed)
        made = []
        for one in self.inputs:
            dtype = getattr(torch, one.dtype)
            shape = one.at(changed)
            if one.dtype.startswith("float"):
                made.append(torch.randn(shape, generator=generator).to(dtype))
            else:
                made.append(torch.randint(0, one.below, shape, generator=generator).to(dtype))
        return made

    def outputs(self, values: Sequence[Any]) -> List[Any]:
        with self.torch.no_grad():
            return [value for _, value in _flatten(self.torch, self._call(values), "")]

    def as_module(self) -> Any:
        torch, outer = self.torch, self
        if self.scripted:
            return self.model

        class Flat(torch.nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.model = outer.model

            def forward(self, *values: Any) -> Any:
                if outer.by_keyword:
                    names = [one.name for one in outer.inputs]
                    answer = self.model(**dict(zip(names, values)))
                else:
                    answer = self.model(*values)
                flat = tuple(value for _, value in _flatten(torch, answer, ""))
                return flat[0] if len(flat) == 1 else flat

        return Flat().eval()

    def _call(self, values: Sequence[Any]) -> Any:
        shapes = ", ".join(
            f"{one.name} {'x'.join(str(n) for n in value.shape) or 'scalar'} of {one.dtype}"
            for one, value in zip(self.inputs, values)
        )
        try:
            with self.torch.no_grad():
                if self.by_keyword:
                    return self.model(**{i.name: v for i, v in zip(self.inputs, values)})
                return self.model(*values)
        except Exception as error:
            raise Problem(
                f"the model itself refuses the inputs {shapes}:\n"
                f"{_layer(self.torch, self.model, error)}"
                "\nCheck --input; a model that takes only one batch size needs --fixed-shapes"
            ) from None

    def _axes(self) -> Dict[str, Dict[int, str]]:
        """Which dimensions of which input and output may differ, by name."""
        axes = {
            one.name: {axis: name for axis, name in enumerate(one.names) if name}
            for one in self.inputs
        }
        known = {name: sizes[0] for name, sizes in dimensions(self.inputs).items()}
        if not known:
            return {}
        here = self.outputs(self.example({}))
        for changed in other_sizes(self.inputs):
            there = self.outputs(self.example(changed))
            if len(there) != len(here):
                raise Problem("the model gives more or fewer outputs when its inputs' sizes change")
            for name, old, new in zip(self.output_names, here, there):
                if len(old.shape) != len(new.shape):
                    raise Problem(f"the output {name} has more dimensions when the sizes change")
                for axis, (was, now) in enumerate(zip(old.shape, new.shape)):
                    if was != now:
                        same = [d for d in known if known[d] == was and changed[d] == now]
                        label = same[0] if same else f"{name}_{axis}"
                        axes.setdefault(name, {}).setdefault(axis, label)
        return {name: found for name, found in axes.items() if found}


def export(flat: FlatModel, path: str, opset: Optional[int]) -> Exported:
    """Writes `path` and what lies beside it; its folder is this export's own."""
    note = ""
    if _has_dynamo(flat.torch) and not flat.scripted:
        try:
            return _export_dynamo(flat, path, opset)
        except Exception as error:
            note = f"the dynamo exporter could not: {_first_line(error)}"
            _empty(os.path.dirname(path))
    elif flat.scripted:
        note = "TorchScript models are taken by its own exporter only"
    try:
        return _export_script(flat, path, opset, note)
    except Exception as error:
        if "onnx is not installed" in str(error):
            raise Problem(
                f"PyTorch {flat.torch.__version__} needs the packages onnx and onnxscript to "
                "export, and this environment lacks them. Add them to it, or name one that has "
                "them with --environment"
            ) from None
        before = f" ({note})" if note else ""
        raise Problem(
            f"PyTorch {flat.torch.__version__} cannot export this model to ONNX: "
            f"{type(error).__name__}: {str(error).strip()[:2000]}{before}"
        ) from error


def _has_dynamo(torch: Any) -> bool:
    version = tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2])
    if version < (2, 6):
        return False
    try:
        importlib.import_module("onnxscript")
        importlib.import_module("onnx")
    except ImportError:
        return False
    return True


def _export_dynamo(flat: FlatModel, path: str, opset: Optional[int]) -> Exported:
    torch = flat.torch
    dims = {name: torch.export.Dim(name, min=1) for name in dimensions(flat.inputs)}
    shapes = tuple(
        {axis: dims[name] for axis, name in enumerate(one.names) if name} or None
        for one in flat.inputs
    )
    options: Dict[str, Any] = {"opset_version": opset} if opset else {}
    if "external_data" in inspect.signature(torch.onnx.export).parameters:
        # One file is easier to carry about; one that is larger than ONNX allows cannot be.
        options["external_data"] = _weight_bytes(flat.model) > _LARGEST_FILE
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            flat.as_module(),
            tuple(flat.example({})),
            path,
            dynamo=True,
            input_names=[one.name for one in flat.inputs],
            output_names=flat.output_names,
            dynamic_shapes={"values": shapes} if dims else None,
            verbose=False,
            **options,
        )
    return Exported(path, "dynamo", opset or _opset_of(path), "")


def _export_script(flat: FlatModel, path: str, opset: Optional[int], note: str) -> Exported:
    torch = flat.torch
    chosen = opset or _default_opset()
    options: Dict[str, Any] = {"opset_version": chosen, "do_constant_folding": True}
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        options["dynamo"] = False
    _leave_fast_path(torch, flat)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            flat.as_module(),
            tuple(flat.example({})),
            path,
            input_names=[one.name for one in flat.inputs],
            output_names=flat.output_names,
            dynamic_axes=flat.axes or None,
            **options,
        )
    return Exported(path, "TorchScript", chosen, note)


def _leave_fast_path(torch: Any, flat: FlatModel) -> None:
    """Transformers take a fused operation in evaluation mode, which ONNX does not have."""
    mha = getattr(torch.backends, "mha", None)
    if mha is not None:
        mha.set_fastpath_enabled(False)
    elif not flat.scripted:
        # Before there was a switch: they take the plain way where gradients may be wanted.
        for parameter in flat.model.parameters():
            if parameter.is_floating_point():
                parameter.requires_grad_(True)


def _default_opset() -> int:
    """The newest of this PyTorch that runtimes of its time know as well."""
    try:
        newest = importlib.import_module("torch.onnx._constants").ONNX_MAX_OPSET
    except (ImportError, AttributeError):
        newest = 13
    return min(int(newest), 17)


def _opset_of(path: str) -> int:
    try:
        found = importlib.import_module("onnx").load(path, load_external_data=False).opset_import
        return max((int(one.version) for one in found if one.domain in ("", "ai.onnx")), default=0)
    except Exception:
        return 0


def _weight_bytes(model: Any) -> int:
    kept = list(model.parameters()) + list(model.buffers())
    return sum(one.numel() * one.element_size() for one in kept)


def _parameters(model: Any) -> List[str]:
    try:
        found = inspect.signature(model.forward).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in found if one.kind in _NAMED]


def _flatten(torch: Any, value: Any, name: str) -> List[Tuple[str, Any]]:
    if isinstance(value, torch.Tensor):
        return [(name or "output", value)]
    if isinstance(value, dict):
        parts = [(str(key), one) for key, one in value.items() if one is not None]
    elif hasattr(value, "_fields"):
        parts = list(zip(value._fields, value))
    elif isinstance(value, (list, tuple)):
        parts = [
            (f"output_{number}" if not name else str(number), one)
            for number, one in enumerate(value)
            if one is not None
        ]
    elif hasattr(value, "__dict__") and not isinstance(value, (int, float, str, bool)):
        parts = [(key, one) for key, one in vars(value).items() if one is not None]
    else:
        raise Problem(f"the model returns a {type(value).__name__}; only tensors can be exported")
    found: List[Tuple[str, Any]] = []
    for key, one in parts:
        found += _flatten(torch, one, f"{name}_{key}" if name else key)
    if not found:
        raise Problem(f"the model returns an empty {type(value).__name__}")
    return found


def _layer(torch: Any, model: Any, error: BaseException) -> str:
    """The error, and by which layer it was raised, as far as the traceback knows."""
    names = {}
    if not isinstance(model, torch.jit.ScriptModule):
        names = {id(module): name for name, module in model.named_modules() if name}
    layer = ""
    trace = error.__traceback__
    while trace is not None:
        own = trace.tb_frame.f_locals.get("self")
        if id(own) in names:
            layer = f"layer {names[id(own)]} ({type(own).__name__}): "
        trace = trace.tb_next
    return f"  {layer}{type(error).__name__}: {str(error).strip()[:2000]}"


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:300] if lines else ''}"


def _empty(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
