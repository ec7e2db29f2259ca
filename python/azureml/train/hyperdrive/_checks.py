"""Values of a sweep, checked where they are written, with texts that say what to change."""

from __future__ import annotations

import math
from typing import Any, Optional

from azureml.exceptions import UserErrorException


def refusal(text: str) -> UserErrorException:
    return UserErrorException(text)


def plain(value: Any) -> Any:
    """A scalar of numpy's as the Python value it stands for."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    return value


def number(value: Any, what: str) -> Any:
    """A finite number, as it was given: 1 stays 1."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise refusal(f"{what} must be a finite number, not {value!r}.")
    return value


def whole(value: Any, what: str, lowest: int, highest: Optional[int] = None) -> int:
    """A whole number in a range."""
    value = plain(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise refusal(f"{what} must be a whole number, not {value!r}.")
    if value < lowest or (highest is not None and value > highest):
        limits = f"from {lowest} to {highest}" if highest is not None else f"of {lowest} or more"
        raise refusal(f"{what} must be a whole number {limits}, not {value}.")
    return value
