"""The schema of numpy's and pandas' types of elements."""

from typing import Any, Dict


def dtype_schema(dtype: Any) -> Dict[str, Any]:
    names = getattr(dtype, "names", None)
    if names:  # a record
        return {
            "type": "object",
            "properties": {name: _field(dtype.fields[name][0]) for name in names},
        }
    kind = getattr(dtype, "kind", "O")
    if kind == "b":
        return {"type": "boolean"}
    if kind in "iu":
        size = "int64" if dtype.itemsize > 4 or (kind == "u" and dtype.itemsize == 4) else "int32"
        return {"type": "integer", "format": size}
    if kind == "f":
        return {"type": "number", "format": "double" if dtype.itemsize > 4 else "float"}
    if kind == "M":
        return {"type": "string", "format": "date-time"}
    if kind == "m":
        return {"type": "string", "format": "timedelta"}
    if kind == "S":
        return {"type": "string", "format": "binary"}
    if kind == "U" or str(dtype) in ("string", "category"):
        return {"type": "string"}
    return {"type": "object"}


def _field(dtype: Any) -> Dict[str, Any]:
    inner = getattr(dtype, "subdtype", None)
    if inner is None:
        return dtype_schema(dtype)
    return nested_arrays(dtype_schema(inner[0]), len(inner[1]))


def nested_arrays(items: Dict[str, Any], depth: int) -> Dict[str, Any]:
    schema = items
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema
