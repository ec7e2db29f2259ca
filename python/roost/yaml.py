"""Reads and writes the part of YAML that conda environment files and run configurations use.

Block and flow lists and mappings, comments, plain, quoted and block scalars. Anchors, aliases, tags
and several documents in one file are refused with the line they are on. Plain scalars mean what
YAML 1.2 says: `yes` and `on` are texts. What is written reads the same under YAML 1.1.
"""

from __future__ import annotations

from typing import Any

from .yaml_reader import Reader
from .yaml_scanner import YamlError
from .yaml_writer import write

__all__ = ["YamlError", "read", "read_file", "write"]


def read(text: str, name: str = "<text>") -> Any:
    """The value of one document. Raises YamlError, which calls the text `name`."""
    return Reader(text, name).document()


def read_file(path: str) -> Any:
    with open(path, encoding="utf-8-sig") as file:
        return read(file.read(), str(path))
