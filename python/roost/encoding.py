"""Python values as the JSON of the spool. NaN and infinities become strings."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

_INT64 = 1 << 63


def plain(value: Any) -> Any:
    """Returns `value` made of dict, list, str, int, finite float, bool and None only."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _valid_unicode(value)
    if isinstance(value, int):
        return _int(int(value))
    if isinstance(value, float):
        return _float(float(value))
    if isinstance(value, Mapping):
        return {_valid_unicode(str(key)): plain(item) for key, item in value.items()}
    for convert in ("tolist", "item"):  # arrays and tensors; numpy and torch scalars
        if hasattr(value, convert):
            try:
                return plain(getattr(value, convert)())
            except (TypeError, ValueError, RuntimeError):
                continue
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
        return [plain(item) for item in value]
    if hasattr(value, "__float__"):
        return _float(float(value))
    return _valid_unicode(str(value))


def encode(value: Any) -> str:
    return json.dumps(plain(value), separators=(",", ":"), allow_nan=False)


def encode_scalar(value: Any) -> str:
    """JSON of one point. What is not a number, bool or string becomes a string: a metric of an odd
    type must not stop a training."""
    value = plain(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or isinstance(value, (list, dict)):
        value = str(value)
    return json.dumps(value, allow_nan=False)


def _int(value: int) -> Any:
    if -_INT64 <= value < _INT64:
        return value
    try:
        return _float(float(value))
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"


def _float(value: float) -> Any:
    if value != value:
        return "NaN"
    if value - value != 0.0:
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _valid_unicode(text: str) -> str:
    try:
        text.encode()
        return text
    except UnicodeEncodeError:  # a lone surrogate, as in a file name that is not UTF-8
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
