"""What the follower works with: values it knows in part, and what it saw happen."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from .found import UNKNOWN, Place


@dataclass(frozen=True)
class Ref:
    """A dotted name that was imported: os.path.join, azureml.core.Workspace."""

    path: str


class Thing:
    """What a call gave: its kind, and those of its facts that are known."""

    def __init__(self, kind: str, **facts: Any) -> None:
        self.kind = kind
        self.facts = facts

    def get(self, name: str) -> Any:
        return self.facts.get(name, UNKNOWN)


@dataclass(frozen=True)
class Bound:
    """A method of a value, not called yet."""

    owner: Any
    name: str


@dataclass
class Function:
    """One of the user's."""

    node: Any  # ast.FunctionDef or ast.AsyncFunctionDef
    scopes: List[Dict[str, Any]]
    called: bool = False


class PathText(str):
    """A pathlib.Path, by its text: `/` joins it."""


@dataclass(frozen=True)
class Event:
    """Something that the outside decides about: a file, a name on the server, a download."""

    kind: str
    place: Place
    facts: Dict[str, Any] = field(default_factory=dict)
    guarded: bool = False  # the code goes on if it fails

    def __getitem__(self, name: str) -> Any:
        return self.facts.get(name, UNKNOWN)


@dataclass(frozen=True)
class Imported:
    """`import module`, of anything but azureml."""

    module: str
    place: Place
    guarded: bool


def known(*values: Any) -> bool:
    """Whether nothing in them is unknown."""
    return all(_known(value) for value in values)


def _known(value: Any) -> bool:
    if value is UNKNOWN or isinstance(value, (Thing, Ref, Bound, Function)):
        return False
    if isinstance(value, (list, tuple, set)):
        return all(_known(item) for item in value)
    if isinstance(value, dict):
        return all(_known(key) and _known(item) for key, item in value.items())
    return True


Arguments = Tuple[List[Any], Dict[str, Any]]


def argument(given: Arguments, index: int, *names: str) -> Any:
    """A positional argument, or one by any of its names; UNKNOWN if it is not known or given."""
    positional, named = given
    for name in names:
        if name in named:
            return named[name]
    return positional[index] if 0 <= index < len(positional) else UNKNOWN


def given_text(value: Any) -> Optional[str]:
    return str(value) if isinstance(value, str) else None


def line_of(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 1))
