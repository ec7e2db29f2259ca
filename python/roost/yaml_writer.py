"""Writes values as YAML that every reader understands the same way."""

from __future__ import annotations

import math
import re
from typing import Any, Dict, List, Match

from .yaml_scanner import plain_value

_SAFE = re.compile(r"[A-Za-z_./$<=~^+(\\][^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]*\Z")
_NUMBER_LIKE = re.compile(r"[-+.0-9]")
_RESERVED = frozenset(  # also in YAML 1.1
    ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".nan", ".inf", "=", "<<")
)


def write(value: Any) -> str:
    """Block style, keys in their order; lists are not indented below their key."""
    if isinstance(value, dict) and value:
        return "".join(_lines_of_mapping(value, 0))
    if isinstance(value, (list, tuple)) and value:
        return "".join(_lines_of_list(value, 0))
    return _scalar(value, 0) + "\n"


def _lines_of_mapping(mapping: Dict[Any, Any], indent: int) -> List[str]:
    lines: List[str] = []
    for key, value in mapping.items():
        head = " " * indent + _scalar(key, -1) + ":"
        if isinstance(value, dict) and value:
            lines += [head + "\n", *_lines_of_mapping(value, indent + 2)]
        elif isinstance(value, (list, tuple)) and value:
            lines += [head + "\n", *_lines_of_list(value, indent)]
        else:
            lines.append(f"{head} {_scalar(value, indent + 2)}\n")
    return lines


def _lines_of_list(items: Any, indent: int) -> List[str]:
    lines: List[str] = []
    for item in items:
        if isinstance(item, dict) and item:
            below = _lines_of_mapping(item, indent + 2)
        elif isinstance(item, (list, tuple)) and item:
            below = _lines_of_list(item, indent + 2)
        else:
            below = [" " * (indent + 2) + _scalar(item, indent + 2) + "\n"]
        lines.append(" " * indent + "- " + below[0][indent + 2 :])
        lines += below[1:]
    return lines


def _scalar(value: Any, indent: int) -> str:
    """`indent` is that of the lines below, for texts of several lines; -1 forbids them."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, (list, tuple)):
        return "[]"
    if isinstance(value, str):
        return _text(str(value), indent)
    raise TypeError(f"cannot write {type(value).__name__} {value!r} as YAML")


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e", 1)
    return text


def _text(text: str, indent: int) -> str:
    if _is_plain(text):
        return text
    if "\n" in text and indent >= 0 and _is_literal(text):
        body = text.rstrip("\n")
        ends = len(text) - len(body)
        lines = (body.split("\n") if body else []) + [""] * max(ends - 1, 0)
        mark = "-" if ends == 0 else "" if ends == 1 else "+"
        pad = " " * max(indent, 1)
        return f"|{mark}\n" + "\n".join(pad + line if line else "" for line in lines)
    if re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]", text):
        return (
            '"'
            + re.sub(r'[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff"\\]', _escaped, text)
            + '"'
        )
    return "'" + text.replace("'", "''") + "'"


def _is_plain(text: str) -> bool:
    if not _SAFE.match(text) or text != text.strip() or text.lower() in _RESERVED:
        return False
    if ": " in text or " #" in text or text.endswith(":") or "\t#" in text or ":\t" in text:
        return False
    if _NUMBER_LIKE.match(text):
        return bool(re.match(r"\.{0,2}/|\.[A-Za-z]", text)) and plain_value(text) == text
    return True


def _is_literal(text: str) -> bool:
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]", text):
        return False
    lines = text.split("\n")
    return bool(lines[0]) and lines[0][0] != " " and all(line.strip() or not line for line in lines)


def _escaped(match: Match[str]) -> str:
    char = match.group()
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    return short.get(char) or ("\\x%02x" if ord(char) < 256 else "\\u%04x") % ord(char)
