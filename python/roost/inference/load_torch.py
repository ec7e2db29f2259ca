"""A PyTorch model from its file: a whole module, TorchScript, or weights with a function."""

from __future__ import annotations

import ast
import importlib
import os
import pickle
import sys
import types
import zipfile
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, cast

from .problem import Problem
from .script_definitions import ScriptDefinitions

_ENDINGS = (".pt", ".pth", ".pkl", ".bin", ".ckpt", ".model", ".th", ".jit", ".ts")
_WEIGHT_KEYS = ("state_dict", "model_state_dict", "model", "net", "module", "weights")
_PREFIXES = ("module.", "_orig_mod.")
_SHOWN = 6


class Loaded(NamedTuple):
    model: Any
    kind: str  # "module", "TorchScript" or "state dict"
    file: str


def find_file(folder: str, wanted: str = "") -> str:
    """The file of the model below `folder`; `wanted` is its path there, or the end of it."""
    files = []
    for at, _, names in os.walk(folder):
        files += [os.path.relpath(os.path.join(at, name), folder) for name in names]
    files.sort()
    shown = ", ".join(files[:20]) or "no files"
    if wanted:
        found = [file for file in files if file == wanted or file.endswith("/" + wanted)]
        if len(found) != 1:
            raise Problem(f"the model has no file {wanted!r}; it has {shown}")
        return os.path.join(folder, found[0])
    likely = [file for file in files if file.endswith(_ENDINGS)]
    found = likely if len(files) > 1 else files
    if len(found) == 1:
        return os.path.join(folder, found[0])
    many = "several files that may be it" if found else "no file that looks like one of PyTorch"
    raise Problem(f"the model has {many}: {shown}. Name it with --file")


def load_model(path: str, function: str, script: Optional[ScriptDefinitions]) -> Loaded:
    """In evaluation mode, on the CPU. `script` is the one whose run made the model."""
    torch = import_torch()
    name = os.path.basename(path)
    if _is_torch_script(path):
        return Loaded(torch.jit.load(path, map_location="cpu").eval(), "TorchScript", name)
    kept = _read(torch, path, script)
    if isinstance(kept, dict):
        for key in _WEIGHT_KEYS:
            if isinstance(kept.get(key), torch.nn.Module):
                kept = kept[key]
                break
    if isinstance(kept, torch.nn.Module):
        return Loaded(_bare(torch, kept).eval(), "module", name)
    weights = _weights(torch, kept)
    if weights is None:
        raise Problem(
            f"{name} holds a {type(kept).__name__}, neither a module nor weights of one. Save the "
            "model by torch.save(model, ...) or torch.save(model.state_dict(), ...)"
        )
    if not function:
        raise Problem(
            f"{name} is a state dict: weights without the network they belong to. Give "
            "--model-function MODULE:FUNCTION, a function (or class) that makes the network; its "
            f"file must be in the code of the run, or in --code FOLDER. {_head(weights)}"
        )
    model = _make(torch, function, script)
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise Problem(
            f"the weights of {name} do not fit what {function} makes. {_several_lines(error)}\n"
            f"{_head(weights)}"
        ) from None
    return Loaded(model.eval(), "state dict", name)


def import_torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise Problem(
            f"this environment has no PyTorch ({error}; Python is {sys.executable}). Name one that "
            "has, with --environment"
        ) from None


def _is_torch_script(path: str) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False
    parts = [name.split("/", 1)[-1] for name in names]
    return "constants.pkl" in parts and any(part.startswith("code/") for part in parts)


def _read(torch: Any, path: str, script: Optional[ScriptDefinitions]) -> Any:
    options: Dict[str, Any] = {"map_location": "cpu"}
    if "weights_only" in torch.load.__code__.co_varnames:
        options["weights_only"] = False  # what the user's own run has written is the user's
    own = sys.modules["__main__"]
    sys.modules["__main__"] = _TrainingScript(script)
    try:
        return torch.load(path, **options)
    except Problem:
        raise
    except (AttributeError, ImportError) as error:
        raise Problem(
            f"{os.path.basename(path)} needs code that is not here: {error}. The folder of the run "
            "that made it is used if it is known; else give it with --code FOLDER"
        ) from None
    except (RuntimeError, pickle.UnpicklingError, EOFError, ValueError, KeyError) as error:
        raise Problem(
            f"{os.path.basename(path)} cannot be read by PyTorch {torch.__version__}: "
            f"{_several_lines(error)}"
        ) from None
    finally:
        sys.modules["__main__"] = own


class _TrainingScript(types.ModuleType):
    """What the script called __main__ when it pickled its own classes."""

    def __init__(self, script: Optional[ScriptDefinitions]) -> None:
        super().__init__("__main__")
        self._script = script

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._script is None:
            raise Problem(
                f"the class {name} of the model was defined in the script that saved it, and that "
                "script is not known. Give the folder with --code FOLDER and the script in it with "
                "--script FILE"
            )
        try:
            return self._script.get(name)
        except Exception as error:
            raise Problem(
                f"the class {name} of {self._script.path} cannot be made again: "
                f"{type(error).__name__}: {error}"
            ) from None


def _bare(torch: Any, model: Any) -> Any:
    """Without what only training needs around it."""
    wrappers = (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)
    return model.module if isinstance(model, wrappers) else model


def _weights(torch: Any, kept: Any) -> Optional[Dict[str, Any]]:
    if not isinstance(kept, dict):
        return None
    for key in ("",) + _WEIGHT_KEYS:
        inner = kept.get(key) if key else kept
        if not isinstance(inner, dict) or not all(isinstance(k, str) for k in inner):
            continue
        if not key and any(isinstance(kept.get(k), dict) for k in _WEIGHT_KEYS):
            continue  # a checkpoint, whatever else it has beside the weights
        if any(isinstance(value, torch.Tensor) for value in inner.values()):
            return _without_prefix(inner)
    return None


def _without_prefix(weights: Dict[str, Any]) -> Dict[str, Any]:
    for prefix in _PREFIXES:
        if all(key.startswith(prefix) for key in weights):
            weights = {key[len(prefix) :]: value for key, value in weights.items()}
    return weights


def _head(weights: Dict[str, Any]) -> str:
    def shape(value: Any) -> str:
        sizes = getattr(value, "shape", None)
        return "" if sizes is None else " " + ("x".join(str(size) for size in sizes) or "scalar")

    shown = [key + shape(value) for key, value in list(weights.items())[:_SHOWN]]
    more = len(weights) - len(shown)
    return f"It has {', '.join(shown)}" + (f" and {more} more" if more else "")


def _make(torch: Any, function: str, script: Optional[ScriptDefinitions]) -> Any:
    place, name, arguments = parse_function(function)
    maker = _find_function(place, name, script)
    try:
        model = maker(**arguments)
    except Exception as error:
        raise Problem(
            f"{function} failed: {type(error).__name__}: {_several_lines(error)}"
        ) from error
    if not isinstance(model, torch.nn.Module):
        raise Problem(f"{function} must return a torch.nn.Module, not a {type(model).__name__}")
    return model


def parse_function(text: str) -> Tuple[str, str, Dict[str, Any]]:
    """ "net:make(classes=2)" is the module or file, the name in it, and its keywords."""
    how = 'write it like net:make, src/net.py:Net or "torchvision.models:resnet18(num_classes=2)"'
    place, colon, call = text.partition(":")
    try:
        node = ast.parse(call.strip(), mode="eval").body
        arguments: Dict[str, Any] = {}
        if isinstance(node, ast.Call):
            if node.args:
                raise Problem(f"the arguments of --model-function {text} need names; {how}")
            arguments = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
            node = node.func
        if not colon or not place or not isinstance(node, ast.Name):
            raise Problem(f"--model-function {text!r} names no function; {how}")
        return place.strip(), node.id, arguments
    except (SyntaxError, ValueError):
        raise Problem(f"--model-function {text!r} cannot be read; {how}") from None


def _find_function(
    place: str, name: str, script: Optional[ScriptDefinitions]
) -> Callable[..., Any]:
    file = place if place.endswith(".py") else place.replace(".", "/") + ".py"
    try:
        if script is not None and os.path.exists(file) and os.path.samefile(file, script.path):
            return cast(Callable[..., Any], script.get(name))  # an import would train again
        if place.endswith(".py"):
            return cast(Callable[..., Any], ScriptDefinitions(place).get(name))
        return cast(Callable[..., Any], getattr(importlib.import_module(place), name))
    except FileNotFoundError:
        raise Problem(f"--model-function names {place}, which is not there; {_here()}") from None
    except ModuleNotFoundError as error:
        raise Problem(f"--model-function names {place}: {error}; {_here()}") from None
    except AttributeError as error:
        raise Problem(f"--model-function: {error}") from None


def _here() -> str:
    names: List[str] = sorted(name for name in os.listdir(".") if not name.startswith("."))
    return "the code has " + (", ".join(names[:15]) or "no files; give some with --code FOLDER")


def _several_lines(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return "\n".join(
        lines[:12] + ([f"... and {len(lines) - 12} more lines"] if len(lines) > 12 else [])
    )
