"""What the walk knows of a value: enough to tell whose method is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, Union


@dataclass(frozen=True)
class Module:
    """A module of azureml."""

    name: str


@dataclass(frozen=True)
class Class:
    """A class or function of azureml; `name` may be dotted, as Dataset.File."""

    name: str
    module: str = ""


@dataclass(frozen=True)
class Instance:
    name: str
    module: str = ""
    guessed: bool = False


@dataclass(frozen=True)
class Items:
    """A list, iterator or mapping; `item` is what it holds."""

    item: Kind
    pairs: bool = False  # yields (key, item)
    mapping: bool = False  # yields keys


@dataclass(frozen=True)
class Method:
    """Bound to an instance or class, not called yet."""

    owner: Union[Class, Instance]
    name: str


@dataclass(frozen=True)
class Constant:
    value: Any


@dataclass(frozen=True)
class OwnFunction:
    """A function of the user's; what it returns is looked up by key."""

    key: str


@dataclass
class OwnModule:
    """A file of the user's that another imports."""

    names: Dict[str, Optional[Kind]]

    def __hash__(self) -> int:
        return id(self)


@dataclass(frozen=True)
class Other:
    """Certainly not azureml's."""


Kind = Union[Module, Class, Instance, Items, Method, Constant, OwnFunction, OwnModule, Other]
OTHER = Other()
