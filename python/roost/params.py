"""What a script calls its configuration, as parameters of a run: names and plain values."""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Mapping
from typing import Any, Dict, Iterator, Optional, Tuple

from .encoding import encode, plain

_DEEPEST = 16
# The last part of the name says that the value is nobody's business.
_SECRET = re.compile(
    r"(?i)(^|_)(passwd|password|secret|api_?key|access_?key|secret_?key|private_?key|auth_token|"
    r"access_token|hub_token|credentials?)$"
)
MASK = "***"


def params_of(config: Any) -> Dict[str, Any]:
    """Name -> string, number, bool or None. `config` is a mapping, an argparse.Namespace, or an
    object of a dataclass, attrs, pydantic or OmegaConf. Names of what is nested are joined by dots,
    lists become their JSON, and what looks like a secret becomes ***. TypeError for what has no
    names."""
    found = _mapping_of(config)
    if found is None:
        raise TypeError(
            f"config is a {type(config).__name__}; give a dict, argparse's Namespace, a dataclass, "
            "or an object of OmegaConf or pydantic"
        )
    return {
        name: MASK if value is not None and _SECRET.search(name.rpartition(".")[2]) else value
        for name, value in _flattened(found, "", 0)
    }


def _flattened(mapping: Mapping[Any, Any], prefix: str, depth: int) -> Iterator[Tuple[str, Any]]:
    for key, value in mapping.items():
        name = prefix + str(key)
        nested = _mapping_of(value) if depth < _DEEPEST else None
        if nested:
            yield from _flattened(nested, name + ".", depth + 1)
        else:
            yield name, _leaf(value)


def _mapping_of(config: Any) -> Optional[Mapping[Any, Any]]:
    if isinstance(config, type):
        return None
    omegaconf = sys.modules.get("omegaconf")
    if omegaconf is not None and omegaconf.OmegaConf.is_config(config):
        config = omegaconf.OmegaConf.to_container(config, resolve=True, throw_on_missing=False)
    if isinstance(config, Mapping):
        return config
    if hasattr(config, "__dataclass_fields__"):
        return {name: getattr(config, name, None) for name in config.__dataclass_fields__}
    if hasattr(config, "__attrs_attrs__"):
        return {field.name: getattr(config, field.name, None) for field in config.__attrs_attrs__}
    for fields in ("model_fields", "__fields__"):  # pydantic 2, and before it
        names = getattr(type(config), fields, None)
        if isinstance(names, Mapping):
            return {name: getattr(config, name, None) for name in names}
    if type(config).__module__ == "argparse":
        return dict(vars(config))
    return None


def _leaf(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)) and not _is_enum(value):
        return plain(value)
    if isinstance(value, enum.Enum):
        return _leaf(value.value) if not isinstance(value.value, enum.Enum) else str(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(value, key=str) if isinstance(value, (set, frozenset)) else value
        return encode([_leaf(item) if _mapping_of(item) is None else item for item in items])
    if isinstance(value, Mapping):  # an empty one, or one too deep
        return encode(value)
    if hasattr(value, "__qualname__"):
        return f"{getattr(value, '__module__', '')}.{value.__qualname__}".lstrip(".")
    if hasattr(value, "shape") and getattr(value, "size", None) != 1 and value.shape:
        return f"{type(value).__name__}{tuple(value.shape)}"
    converted = plain(value) if hasattr(value, "item") else str(value)
    return converted if not isinstance(converted, (list, dict)) else encode(converted)


def _is_enum(value: Any) -> bool:
    return isinstance(value, enum.Enum)
