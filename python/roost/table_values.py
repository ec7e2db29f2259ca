"""Tables and histograms as the spool has them: columns, and counts between edges."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Dict, Iterable, List, Optional, Sequence

from .encoding import plain

DEFAULT_BINS = 64
_MOST_BINS = 10_000


def columns_of(table: Any, columns: Optional[Sequence[str]] = None) -> Dict[str, List[Any]]:
    """Column -> values, of a dict of columns, a list of dicts, a list of rows (their names are
    `columns`) or a DataFrame of pandas or polars. ValueError for what is none."""
    if hasattr(table, "columns") and hasattr(table, "to_dict"):
        return {str(name): _values(table[name]) for name in table.columns}
    if isinstance(table, Mapping):
        return {str(name): _values(column) for name, column in table.items()}
    rows = list(table)
    if all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(str(name) for row in rows for name in row))
        by_name = [{str(name): value for name, value in row.items()} for row in rows]
        return {name: [plain(row.get(name)) for row in by_name] for name in names}
    if columns is None:
        raise ValueError("rows without names need columns=[...]")
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"a row has {len(row)} values, and there are {len(columns)} columns")
    return {str(name): [plain(row[i]) for row in rows] for i, name in enumerate(columns)}


def _values(column: Any) -> List[Any]:
    for method in ("tolist", "to_list"):
        if hasattr(column, method):
            column = getattr(column, method)()
            break
    if isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Iterable):
        column = [column]
    return [plain(value) for value in column]


def histogram_of(values: Any, bins: int = DEFAULT_BINS) -> Dict[str, List[float]]:
    """How many of the finite ones among the values lie in each of so many equal parts of their
    range. ValueError when there is none."""
    if not 1 <= bins <= _MOST_BINS:
        raise ValueError(f"bins is {bins}; it must be 1 to {_MOST_BINS}")
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        if str(values.dtype) == "torch.bfloat16":
            values = values.float()
    try:
        import numpy
    except ImportError:
        return _counted(_numbers(values), bins)
    array = numpy.asarray(values, dtype="float64").ravel()
    array = array[numpy.isfinite(array)]
    if not array.size:
        raise ValueError("there is no finite number among the values")
    counts, edges = numpy.histogram(array, bins=bins)
    return {"edges": edges.tolist(), "counts": counts.tolist()}


def _counted(numbers: List[float], bins: int) -> Dict[str, List[float]]:
    if not numbers:
        raise ValueError("there is no finite number among the values")
    low, high = min(numbers), max(numbers)
    if low == high:
        low, high = low - 0.5, high + 0.5
    width = (high - low) / bins
    counts = [0.0] * bins
    for number in numbers:
        counts[min(bins - 1, int((number - low) / width))] += 1
    return {"edges": [low + width * i for i in range(bins)] + [high], "counts": counts}


def _numbers(values: Any) -> List[float]:
    flat: List[float] = []
    waiting = [values.tolist() if hasattr(values, "tolist") else values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, (int, float)):
            if math.isfinite(value):
                flat.append(float(value))
        else:
            waiting.extend(value)
    return flat
