"""Inputs of a model as they are typed: 2x3x224x224, ids=2xlength@16:int64:30522."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Sequence, Tuple

from .problem import Problem

_HOW = (
    "write it like 2x3x224x224, image=2x3x224x224:float32, or ids=2xlength@16:int64:30522 for a "
    "dimension that may differ from call to call and for numbers below 30522"
)
_DIMENSION = re.compile(r"(?:([A-Za-z_]\w*)@)?(\d+)\Z")
_FLOATS = ("float32", "float64", "float16")
TYPES = _FLOATS + ("int64", "int32", "int16", "int8", "uint8", "bool")
_BATCH = "batch"


class InputShape(NamedTuple):
    name: str  # "" takes the name of the parameter of the model's forward()
    sizes: Tuple[int, ...]
    names: Tuple[str, ...]  # of each dimension that may differ, "" of the others
    dtype: str
    below: int  # whole numbers are drawn from 0 to this

    def at(self, changed: Dict[str, int]) -> Tuple[int, ...]:
        """Its sizes, where the named dimensions are as `changed` says."""
        return tuple(changed.get(name, size) for name, size in zip(self.names, self.sizes))


def parse_inputs(words: Sequence[str], fixed: bool = False) -> List[InputShape]:
    """The first dimension of each is the batch, unless one of them is called so, or `fixed`."""
    if not words:
        raise Problem(f"the model's inputs are not known; give --input for each: {_HOW}")
    inputs = [_parse(word) for word in words]
    names = [one.name for one in inputs if one.name]
    if len(set(names)) != len(names) or (names and len(names) != len(inputs)):
        raise Problem("name all inputs, each once, or none of them")
    if fixed:
        return [one._replace(names=("",) * len(one.sizes)) for one in inputs]
    if not any(_BATCH in one.names for one in inputs):
        inputs = [_with_batch(one) for one in inputs]
    for name, sizes in dimensions(inputs).items():
        if len(sizes) > 1:
            raise Problem(f"the dimension {name} is of {sorted(sizes)} in different inputs")
    return inputs


def dimensions(inputs: Sequence[InputShape]) -> Dict[str, List[int]]:
    """The sizes that each named dimension has."""
    found: Dict[str, List[int]] = {}
    for one in inputs:
        for name, size in zip(one.names, one.sizes):
            if name and size not in found.setdefault(name, []):
                found[name].append(size)
    return found


def other_sizes(inputs: Sequence[InputShape]) -> List[Dict[str, int]]:
    """Two further sizes for every named dimension: a batch of 1 and of 3, other lengths."""
    known = {name: sizes[0] for name, sizes in dimensions(inputs).items()}
    if not known:
        return [{}]

    def smaller(name: str, size: int) -> int:
        return 1 if name == _BATCH else max(2, size // 2)

    def larger(name: str, size: int) -> int:
        # Never more than was given: a length may have a limit.
        return size + 1 if name == _BATCH else max(2, size - 1)

    return [
        {name: smaller(name, size) for name, size in known.items()},
        {name: larger(name, size) for name, size in known.items()},
    ]


def _with_batch(one: InputShape) -> InputShape:
    if not one.sizes:
        return one
    if one.names[0]:
        raise Problem(
            f"the first dimension is the batch; call it batch@ instead of {one.names[0]}@"
        )
    # What is traced with a batch of one may be frozen to it.
    sizes = (max(2, one.sizes[0]),) + one.sizes[1:]
    return one._replace(sizes=sizes, names=(_BATCH,) + one.names[1:])


def _parse(word: str) -> InputShape:
    name, equals, rest = word.rpartition("=")
    parts = rest.split(":")
    dtype = parts[1] if len(parts) > 1 else "float32"
    if (equals and not name) or len(parts) > 3:
        raise Problem(f"--input {word!r} cannot be read; {_HOW}")
    if dtype not in TYPES:
        raise Problem(f"--input {word!r} is of {dtype!r}, which is none of {', '.join(TYPES)}")
    below = 2
    if len(parts) == 3:
        if dtype in _FLOATS or not parts[2].isdigit() or int(parts[2]) < 1:
            raise Problem(f"--input {word!r}: only whole numbers have a limit, of 1 or more")
        below = int(parts[2])
    matches = [_DIMENSION.match(part) for part in parts[0].split("x")] if parts[0] else []
    if not all(matches):
        raise Problem(f"--input {word!r} has no shape; {_HOW}")
    found = [match for match in matches if match]
    sizes = tuple(int(match[2]) for match in found)
    if any(size < 1 for size in sizes):
        raise Problem(f"--input {word!r}: every dimension must be 1 or more")
    return InputShape(name, sizes, tuple(match[1] or "" for match in found), dtype, below)
