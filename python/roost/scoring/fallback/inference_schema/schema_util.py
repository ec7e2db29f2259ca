"""What is known of decorated functions."""

from typing import Any, Callable, Dict, List

_UNKNOWN: Dict[str, Any] = {"type": "object"}
_VERSIONS = ["2.0", "3.0", "3.1"]
_ATTRIBUTE = "_roost_inference_schema"


def schemas_of(func: Callable[..., Any]) -> Dict[str, Any]:
    """Of the function, or of the one that it wraps."""
    while True:
        found = getattr(func, _ATTRIBUTE, None)
        if found is not None:
            return dict(found)
        inner = getattr(func, "__wrapped__", None)
        if inner is None:
            return {}
        func = inner


def keep_schemas(func: Callable[..., Any], schemas: Dict[str, Any]) -> None:
    setattr(func, _ATTRIBUTE, schemas)


def is_schema_decorated(func: Callable[..., Any]) -> bool:
    return bool(schemas_of(func))


def get_input_schema(func: Callable[..., Any]) -> Dict[str, Any]:
    return dict(schemas_of(func).get("input", _UNKNOWN))


def get_output_schema(func: Callable[..., Any]) -> Dict[str, Any]:
    return dict(schemas_of(func).get("output", _UNKNOWN))


def get_supported_versions(func: Callable[..., Any]) -> List[str]:
    """Where a sample is a list of several types there is no version 2, which cannot say so."""
    schemas = schemas_of(func)
    mixed = any(_has_any_of(schemas.get(part)) for part in ("input", "output"))
    return [version for version in _VERSIONS if version != "2.0" or not mixed]


def _has_any_of(schema: Any) -> bool:
    if isinstance(schema, dict):
        return "anyOf" in schema or any(
            _has_any_of(value) for name, value in schema.items() if name != "example"
        )
    return isinstance(schema, list) and any(map(_has_any_of, schema))
