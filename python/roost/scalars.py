"""Which values are one point of a metric."""

from __future__ import annotations

from typing import Any, Optional

from .encoding import plain
from .notices import tell_once


def scalar_of(name: str, value: Any, how: str) -> Optional[Any]:
    """The number, bool or string that a value is: that, or a tensor or array of one element. None
    for any other: stderr says once a name what to do instead, and the training goes on. `how` is
    what was called."""
    if isinstance(value, (bool, int, float, str)):
        return value
    try:
        found = plain(value) if value is not None else None
    except Exception:  # whatever it is, it must not stop a training
        found = None
    while isinstance(found, list) and len(found) == 1:
        found = found[0]
    if found is None or isinstance(found, (list, dict)):
        tell_once(
            f"{how}/{name}", f"{how}: {name!r} is {_described(value)}, and is not logged. {_ADVICE}"
        )
        return None
    return found


_ADVICE = (
    "A metric is one number a call: log its mean (or .item(), or each element by a name of its "
    "own), or use log_histogram, log_table or log_image. This is said once."
)


def _described(value: Any) -> str:
    kind = type(value).__name__
    if value is None:
        return "None"
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"a {kind} of shape {tuple(shape)}"
    return f"a {kind} of {len(value)} elements" if hasattr(value, "__len__") else f"a {kind}"
