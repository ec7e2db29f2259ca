"""Makes an ONNX model of a PyTorch model and registers it: the run of `roost model export`.

python -m roost.inference.export_onnx --model DIR --exported-from birds:3 --input 2x3x224x224
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
import time
from typing import Any, Dict, List, Optional, Sequence

from .compare import Comparison, compare, sizes_text
from .input_shapes import parse_inputs
from .load_torch import Loaded, find_file, import_torch, load_model
from .problem import Problem
from .script_definitions import ScriptDefinitions
from .torch_export import Exported, FlatModel, export

_FOLDER = "outputs/onnx"


def main(words: Optional[Sequence[str]] = None) -> int:
    try:
        _export(_parse(words))
        return 0
    except Problem as problem:
        sys.stdout.flush()
        print(f"roost export: {problem}", file=sys.stderr)
        return 2


def _export(options: argparse.Namespace) -> None:
    inputs = parse_inputs(options.input, options.fixed_shapes)
    file = find_file(options.model, options.file)
    if file.endswith(".onnx"):
        raise Problem(f"{os.path.basename(file)} is an ONNX model already; deploy it as it is")
    torch = import_torch()
    sys.path.insert(0, os.getcwd())
    loaded = load_model(file, options.model_function, _script(options.script))
    print(f"loaded {loaded.file}: {loaded.kind}, {_weight_text(loaded.model)}", flush=True)
    flat = FlatModel(torch, loaded.model, inputs)
    print("inputs  " + _named_shapes([(i.name, i.sizes, i.names, i.dtype) for i in flat.inputs]))
    shutil.rmtree(_FOLDER, ignore_errors=True)
    os.makedirs(_FOLDER)
    base = options.output_file or os.path.splitext(loaded.file)[0] + ".onnx"
    began = time.monotonic()
    exported = export(flat, os.path.join(_FOLDER, base), options.opset)
    files = _files(_FOLDER)
    print("outputs " + _output_text(flat))
    print(
        f"exported by PyTorch {torch.__version__}'s {exported.exporter} exporter, opset "
        f"{exported.opset}, in {time.monotonic() - began:.1f} s: {', '.join(files)}"
    )
    if exported.note:
        print(f"note: {exported.note}")
    compared = _check(options, flat, exported)
    _register(options, loaded, flat, exported, compared, files)


def _check(options: argparse.Namespace, flat: FlatModel, exported: Exported) -> Comparison:
    if options.no_check:
        print("not compared with PyTorch, as asked by --no-check")
        return Comparison("", [], math.nan, math.nan, "not asked for")
    print("comparing with PyTorch on random inputs ...", flush=True)
    found = compare(flat, exported.path, options.tolerance)
    if not found.runtime:
        print(f"NOT compared with PyTorch: {found.reason}")
    elif found.reason:
        raise Problem(
            f"{found.reason}. Nothing is registered; --tolerance X allows larger differences (now "
            f"{options.tolerance:g}), --no-check leaves the comparison out"
        )
    else:
        print(
            f"{found.runtime} agrees with PyTorch at {sizes_text(found.sizes)}: largest difference "
            f"{found.largest:.3g}, relative {found.relative:.3g}"
        )
    return found


def _register(
    options: argparse.Namespace,
    loaded: Loaded,
    flat: FlatModel,
    exported: Exported,
    compared: Comparison,
    files: List[str],
) -> None:
    facts = _facts(options, loaded, flat, exported, compared)
    with open("outputs/export.json", "w", encoding="utf-8") as out:
        json.dump({**facts, "files": files}, out, indent=2)
    if not options.register:
        print("not registered: no --register NAME")
        return
    from ..client import Client, quote
    from ..run import Run

    run = Run.get_context(allow_offline=False)
    for name in files:
        run.upload_file(f"{_FOLDER}/{name}", os.path.join(_FOLDER, name))
    one = len(files) == 1
    body = {
        "name": options.register,
        "run": run.id,
        "path": f"{_FOLDER}/{files[0]}" if one else _FOLDER,
        "framework": "Onnx",
        "framework_version": str(exported.opset) if exported.opset else None,
        "description": f"{options.exported_from} as ONNX" if options.exported_from else "",
        "tags": {"format": "onnx"},
        "properties": facts,
    }
    if body["framework_version"] is None:
        del body["framework_version"]
    model = Client.from_environment().post(
        f"/api/v1/workspaces/{quote(run.workspace)}/models", body
    )
    run.add_properties({"exported_model": model["id"]})
    print(f"registered {model['id']}: {len(files)} file{'' if one else 's'}, {model['size']} bytes")


def _facts(
    options: argparse.Namespace,
    loaded: Loaded,
    flat: FlatModel,
    exported: Exported,
    compared: Comparison,
) -> Dict[str, str]:
    """The properties of the new model: texts that never change."""
    facts = {
        "exported_from": options.exported_from,
        "source_kind": loaded.kind,
        "exporter": f"PyTorch {flat.torch.__version__} {exported.exporter}",
        "opset": str(exported.opset),
        "inputs": _named_shapes([(i.name, i.sizes, i.names, i.dtype) for i in flat.inputs]),
        "outputs": _output_text(flat),
        "compared_with": compared.runtime or f"nothing: {compared.reason}",
    }
    if compared.runtime:
        facts["largest_difference"] = f"{compared.largest:.3g}"
        facts["relative_difference"] = f"{compared.relative:.3g}"
    return {key: _one_line(value)[:1000] for key, value in facts.items() if value}


def _one_line(text: str) -> str:
    """As a property has to be: errors of others come in several lines or with colors."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _files(folder: str) -> List[str]:
    found = sorted(os.listdir(folder))
    return sorted(found, key=lambda name: not name.endswith(".onnx"))


def _named_shapes(items: Sequence[Any]) -> str:
    def one(name: str, sizes: Sequence[int], names: Sequence[str], dtype: str) -> str:
        parts = [label or str(size) for label, size in zip(names, sizes)]
        return f"{name}={'x'.join(parts) or 'scalar'}:{dtype}"

    return " ".join(one(*item) for item in items)


def _output_text(flat: FlatModel) -> str:
    items = []
    for name, value in zip(flat.output_names, flat.outputs(flat.example({}))):
        names = [flat.axes.get(name, {}).get(axis, "") for axis in range(len(value.shape))]
        items.append((name, tuple(value.shape), names, str(value.dtype).replace("torch.", "")))
    return _named_shapes(items)


def _weight_text(model: Any) -> str:
    total = sum(parameter.numel() for parameter in model.parameters())
    return f"{total:,} weights"


def _script(path: str) -> Optional[ScriptDefinitions]:
    if not path or not os.path.isfile(path):
        return None
    try:
        return ScriptDefinitions(path)
    except (OSError, SyntaxError, ValueError):
        return None


def _parse(words: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="roost export")
    parser.add_argument("--model", required=True, help="folder with the model's files")
    parser.add_argument("--file", default="", help="which of them is the model")
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--model-function", default="")
    parser.add_argument("--script", default="", help="the script that saved the model")
    parser.add_argument("--exported-from", default="")
    parser.add_argument("--register", default="", help="name of the model to register")
    parser.add_argument("--output-file", default="")
    parser.add_argument("--opset", type=int)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--fixed-shapes", action="store_true")
    parser.add_argument("--no-check", action="store_true")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
