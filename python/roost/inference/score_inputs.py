"""Files as inputs of a model, and its outputs as files."""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
import zipfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .problem import Problem
from .served_model import Metadata
from .tensors import Tensor, from_values, read_npy, to_values, write_npy

IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp")
ENDINGS = (".npy", ".npz", ".json", ".csv") + IMAGES
_ONE_INPUT = "the model has the inputs {}; a file of this kind holds only one. Use .npz or .json"


class ImageOptions:
    """What is done with the colours before the model sees them: (value / 255 - mean) / std."""

    def __init__(self, mean: Sequence[float] = (), std: Sequence[float] = ()) -> None:
        self.mean = list(mean)
        self.std = list(std)


def read_inputs(path: str, wanted: Metadata, images: ImageOptions) -> Dict[str, Tensor]:
    """Raises Problem if the file is not what the model takes."""
    ending = os.path.splitext(path)[1].lower()
    if ending == ".npz":
        found = _read_npz(path)
        if len(wanted) == 1 and len(found) == 1:
            found = {wanted[0][0]: next(iter(found.values()))}
    elif ending == ".json":
        found = _read_json(path, wanted)
    else:
        if len(wanted) != 1:
            raise Problem(_ONE_INPUT.format(", ".join(name for name, _, _ in wanted)))
        name, datatype, shape = wanted[0]
        if ending == ".npy":
            with open(path, "rb") as file:
                found = {name: read_npy(file.read(), os.path.basename(path))}
        elif ending == ".csv":
            found = {name: from_values(_read_csv(path), datatype)}
        elif ending in IMAGES:
            found = {name: _read_image(path, datatype, shape, images)}
        else:
            raise Problem(
                f"files that end in {ending or 'nothing'} cannot be scored; "
                f"{', '.join(ENDINGS)} can"
            )
    return {name: _fitted(name, found, datatype, shape) for name, datatype, shape in wanted}


def write_outputs(source: str, target: str, outputs: Dict[str, Tensor]) -> str:
    """Of the kind of `source`; answers the path it wrote, which begins with `target`."""
    ending = os.path.splitext(source)[1].lower()
    os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
    numbers = all(tensor.datatype != "BYTES" for tensor in outputs.values())
    if ending == ".npy" and len(outputs) == 1 and numbers:
        content = write_npy(next(iter(outputs.values())))
    elif ending in (".npy", ".npz") and numbers:
        target = target if ending == ".npz" else target + ".npz"
        content = _npz(outputs)
    elif ending == ".csv":
        content = _csv(outputs).encode()
    else:
        target = target if ending == ".json" else target + ".json"
        values = {name: to_values(tensor) for name, tensor in outputs.items()}
        content = (json.dumps(values) + "\n").encode()
    with open(target, "wb") as file:
        file.write(content)
    return target


def _fitted(name: str, found: Dict[str, Tensor], datatype: str, shape: List[int]) -> Tensor:
    if name not in found:
        raise Problem(
            f"the input {name} is missing; the file has {', '.join(sorted(found)) or 'none'}"
        )
    tensor = found[name]
    if tensor.datatype != datatype:
        tensor = from_values(to_values(tensor), datatype)._replace(shape=tensor.shape)
    if len(tensor.shape) == len(shape) - 1:  # one item, without the batch around it
        tensor = tensor._replace(shape=(1,) + tuple(tensor.shape))
    return tensor


def _read_npz(path: str) -> Dict[str, Tensor]:
    try:
        with zipfile.ZipFile(path) as archive:
            return {
                name[:-4]: read_npy(archive.read(name), name)
                for name in archive.namelist()
                if name.endswith(".npy")
            }
    except zipfile.BadZipFile:
        raise Problem("it is no .npz file") from None


def _read_json(path: str, wanted: Metadata) -> Dict[str, Tensor]:
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (ValueError, UnicodeDecodeError) as error:
        raise Problem(f"it is no JSON: {error}") from None
    types = {name: datatype for name, datatype, _ in wanted}
    if isinstance(document, dict) and isinstance(document.get("inputs"), list):
        return {str(one["name"]): _v2_input(one, types) for one in document["inputs"]}
    for key in ("data", "inputs"):
        if isinstance(document, dict) and key in document and key not in types:
            document = document[key]
    if not isinstance(document, dict):
        if len(wanted) != 1:
            names = ", ".join(types)
            raise Problem(
                f'the model has the inputs {names}; write {{"{wanted[0][0]}": [...], ...}}'
            )
        document = {wanted[0][0]: document}
    return {
        name: from_values(values, types[name]) for name, values in document.items() if name in types
    }


def _v2_input(one: Any, types: Dict[str, str]) -> Tensor:
    datatype = str(one.get("datatype") or types.get(str(one.get("name")), "FP32"))
    tensor = from_values(one["data"], datatype)
    return tensor._replace(shape=tuple(int(n) for n in one.get("shape", tensor.shape)))


def _read_csv(path: str) -> List[List[float]]:
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = [row for row in csv.reader(file) if row]
    if rows and _numbers(rows[0]) is None:
        rows = rows[1:]  # names of the columns
    found: List[List[float]] = []
    for number, row in enumerate(rows):
        values = _numbers(row)
        if values is None:
            raise Problem(f"row {number + 1} has something that is no number: {row[:5]}")
        found.append(values)
    if not found:
        raise Problem("it has no rows")
    return found


def _numbers(row: List[str]) -> Optional[List[float]]:
    try:
        return [float(value) for value in row]
    except ValueError:
        return None


def _read_image(path: str, datatype: str, shape: List[int], options: ImageOptions) -> Tensor:
    try:
        pictures = importlib.import_module("PIL.Image")
    except ImportError:
        raise Problem("pictures need the package Pillow; name an environment that has it") from None
    if len(shape) != 4:
        raise Problem(f"the model takes {shape}, which is no picture")
    channels_last = shape[3] in (1, 3) and shape[1] not in (1, 3)
    height, width = (shape[1], shape[2]) if channels_last else (shape[2], shape[3])
    channels = shape[3] if channels_last else shape[1]
    try:
        with pictures.open(path) as opened:
            picture = opened.convert("L" if channels == 1 else "RGB")
    except (OSError, ValueError) as error:
        raise Problem(f"it cannot be read as a picture: {error}") from None
    if height > 0 and width > 0:
        picture = picture.resize((width, height), pictures.BILINEAR)
    planes = [list(band.tobytes()) for band in picture.split()]
    values: List[Any] = [
        _scaled(plane, number, datatype, options) for number, plane in enumerate(planes)
    ]
    width, height = picture.size
    if channels_last:
        flat = [value for pixel in zip(*values) for value in pixel]
        full: Tuple[int, ...] = (1, height, width, len(planes))
    else:
        flat = [value for plane in values for value in plane]
        full = (1, len(planes), height, width)
    return from_values(flat, datatype)._replace(shape=full)


def _scaled(plane: List[int], number: int, datatype: str, options: ImageOptions) -> List[Any]:
    if not datatype.startswith("FP"):
        return plane
    mean = options.mean[number] if number < len(options.mean) else 0.0
    std = options.std[number] if number < len(options.std) else 1.0
    table = [(value / 255 - mean) / std for value in range(256)]
    return [table[value] for value in plane]


def _npz(outputs: Dict[str, Tensor]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, tensor in outputs.items():
            archive.writestr(f"{name}.npy", write_npy(tensor))
    return content.getvalue()


def _csv(outputs: Dict[str, Tensor]) -> str:
    """One row for each row that came in."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns: List[List[Any]] = []
    titles: List[str] = []
    for name, tensor in outputs.items():
        rows = to_values(tensor)
        flat = [_flat(row) for row in (rows if isinstance(rows, list) else [rows])]
        width = len(flat[0]) if flat else 0
        titles += [name if width == 1 else f"{name}_{number}" for number in range(width)]
        columns.append(flat)
    writer.writerow(titles)
    for parts in zip(*columns):
        writer.writerow([value for part in parts for value in part])
    return out.getvalue()


def _flat(value: Any) -> List[Any]:
    if not isinstance(value, list):
        return [value]
    return [one for part in value for one in _flat(part)]
