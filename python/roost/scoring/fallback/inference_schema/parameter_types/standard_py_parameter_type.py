"""A value of plain Python: number, text, list, dict, time, bytes; samples may be nested."""

import base64
import datetime
from typing import Any, Dict

from .abstract_parameter_type import AbstractParameterType

_SIMPLE = {
    bool: {"type": "boolean"},
    int: {"type": "integer", "format": "int64"},
    float: {"type": "number", "format": "double"},
    str: {"type": "string"},
    bytes: {"type": "string", "format": "byte"},
    bytearray: {"type": "string", "format": "byte"},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"},
}  # type: Dict[type, Dict[str, Any]]


class StandardPythonParameterType(AbstractParameterType):
    """Inside a list or a dict, samples that are parameter types themselves are converted too."""

    def deserialize_input(self, input_data: Any) -> Any:
        return _convert(self.sample_input, input_data)

    def input_to_swagger(self) -> Dict[str, Any]:
        return _describe(self.sample_input)


def _convert(sample: Any, value: Any) -> Any:
    if isinstance(sample, AbstractParameterType):
        return sample.deserialize_input(value)
    nested = _is_nested(sample)
    if nested and isinstance(sample, dict) and isinstance(value, dict):
        return {name: _convert(sample.get(name), given) for name, given in value.items()}
    if nested and isinstance(sample, (list, tuple)) and isinstance(value, (list, tuple)):
        kinds = [sample[min(at, len(sample) - 1)] for at in range(len(value))]
        return type(sample)(_convert(kind, given) for kind, given in zip(kinds, value))
    if sample is None:
        return value
    return _simple(sample, value)


def _simple(sample: Any, value: Any) -> Any:
    wanted = type(sample)
    if isinstance(value, wanted) or (wanted is float and isinstance(value, int)):
        return value
    if wanted in (bytes, bytearray) and isinstance(value, str):
        return wanted(base64.b64decode(value))
    if wanted in (datetime.datetime, datetime.date, datetime.time) and isinstance(value, str):
        return _time(wanted, value)
    if wanted in (tuple, set) and isinstance(value, list):
        return wanted(value)
    raise ValueError(
        f"the input is of type {type(value).__name__}, expected is {wanted.__name__}"
    )


def _time(wanted: Any, text: str) -> Any:
    """ISO 8601, also with the Z that Python before 3.11 does not know."""
    plain = text[:-1] + "+00:00" if text.endswith("Z") else text
    if hasattr(wanted, "fromisoformat"):
        return wanted.fromisoformat(plain)
    formats = {datetime.date: "%Y-%m-%d", datetime.time: "%H:%M:%S"}
    form = formats.get(wanted, "%Y-%m-%dT%H:%M:%S")  # Python 3.6
    made = datetime.datetime.strptime(plain.split("+")[0].split(".")[0], form)
    return made if wanted is datetime.datetime else getattr(made, wanted.__name__)()


def _describe(sample: Any) -> Dict[str, Any]:
    if isinstance(sample, AbstractParameterType):
        return sample.input_to_swagger()
    if isinstance(sample, dict):
        parts = {name: _describe(value) for name, value in sample.items()}
        example = {name: part.pop("example", None) for name, part in parts.items()}
        return {
            "type": "object",
            "properties": parts,
            "required": list(parts),
            "example": example,
        }
    if isinstance(sample, (list, tuple, set)):
        return _describe_list(list(sample))
    simple = _SIMPLE.get(type(sample), {"type": "object"})
    return {**simple, "example": _example(sample)}


def _describe_list(sample: Any) -> Dict[str, Any]:
    parts = [_describe(value) for value in sample]
    example = [part.pop("example", None) for part in parts]
    kinds = [part for at, part in enumerate(parts) if part not in parts[:at]]
    items: Dict[str, Any] = {"anyOf": kinds} if kinds else {"type": "object"}
    return {"type": "array", "items": kinds[0] if len(kinds) == 1 else items, "example": example}


def _example(sample: Any) -> Any:
    if isinstance(sample, (bytes, bytearray)):
        return base64.b64encode(bytes(sample)).decode("ascii")
    if isinstance(sample, (datetime.datetime, datetime.date, datetime.time)):
        return sample.isoformat()
    return sample


def _is_nested(sample: Any) -> bool:
    """Whether there is a parameter type somewhere in it."""
    if isinstance(sample, AbstractParameterType):
        return True
    values = sample.values() if isinstance(sample, dict) else sample
    return isinstance(sample, (dict, list, tuple)) and any(map(_is_nested, values))
